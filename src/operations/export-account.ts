import { describeAll } from '../journeys/account/leaving/export-account.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import { audit, masked, type Operation, operatorVisit } from './operation.ts';

/** Everything stored about an account, as its owner can download it. Adds the audit entry before reading. */
export async function exportAccount({ store, ...operation }: Operation, account: AccountsTable) {
  const { id: accountId, email } = account;
  await store.transaction().execute(async (trx) => {
    await recordActivity(trx, { accountId, at: operation.now, kind: 'exported', visitor: operatorVisit });
    await audit(trx, operation, { action: 'account_exported', accountId, subject: masked(email) });
  });
  return describeAll(store, account, operation.now);
}
