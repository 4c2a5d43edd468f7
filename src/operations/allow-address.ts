import { accountCalled } from '../store/accounts/find-accounts.ts';
import { unsuppressAddress } from '../store/emails/suppression-list.ts';
import { audit, masked, type Operation } from './operation.ts';

/** Removes an address, or the address of an account id, from the suppression list; false if it is not on it. */
export const allowAddressAgain = ({ store, ...operation }: Operation, who: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const account = await accountCalled(trx, who);
    const address = who.includes('@') ? who : account?.email;
    if (address === undefined || !(await unsuppressAddress(trx, address))) return false;
    const accountId = account && { accountId: account.id };
    await audit(trx, operation, { action: 'address_allowed', ...accountId, subject: masked(address) });
    return true;
  });
