import { deleteForGood } from '../journeys/account/leaving/delete-account.ts';
import { type AccountsTable, lockAccountRow } from '../store/accounts/accounts.ts';
import { audit, masked, type Operation } from './operation.ts';

/** Deletes an account and all data of its owner, and notifies the owner by email. Only the audit log keeps a trace. */
export const deleteAccount = ({ store, ...operation }: Operation, account: AccountsTable): Promise<void> =>
  store.transaction().execute(async (trx) => {
    const { id, email } = account;
    await lockAccountRow(trx, id);
    await deleteForGood(trx, account, operation.now);
    await audit(trx, operation, { action: 'account_deleted', accountId: id, subject: masked(email) });
  });
