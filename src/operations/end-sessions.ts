import { endOtherSessions } from '../store/access/sessions.ts';
import { type AccountsTable, holdAccount } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity.ts';
import type { StoreTransaction } from '../store/database.ts';
import { audit, masked, type Operation, operatorVisit } from './operation.ts';

/** Signs an account out everywhere. Returns how many sessions ended. */
export const endSessions = (
  { store, ...operation }: Operation,
  { id, email }: Pick<AccountsTable, 'id' | 'email'>,
): Promise<number> =>
  store.transaction().execute(async (trx) => {
    await holdAccount(trx, id);
    await audit(trx, operation, { action: 'sessions_ended', accountId: id, subject: masked(email) });
    return endAllSessions(trx, { accountId: id, at: operation.now });
  });

/** The same within a transaction that holds the account. */
export async function endAllSessions(
  trx: StoreTransaction,
  { accountId, at }: { accountId: string; at: number },
): Promise<number> {
  const ended = await endOtherSessions(trx, { accountId, except: '', reason: 'ended_elsewhere', at });
  if (ended > 0) await recordActivity(trx, { accountId, at, kind: 'sessions_ended', visitor: operatorVisit });
  return ended;
}
