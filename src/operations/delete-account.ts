import { deleteForGood } from '../journeys/account/leaving/delete-account.ts';
import { type AccountsTable, lockAccountRow } from '../store/accounts/accounts.ts';
import { audit, masked, type Operation } from './operation.ts';

/** Deletes an account and all that is known of its owner, who is notified by email. Only the audit log remembers it. */
export const deleteAccount = ({ store, ...operation }: Operation, account: AccountsTable): Promise<void> =>
  store.transaction().execute(async (trx) => {
    const { id, email } = account;
    await lockAccountRow(trx, id);
    await deleteForGood(trx, account, operation.now);
    await audit(trx, operation, { action: 'account_deleted', accountId: id, subject: masked(email) });
  });
