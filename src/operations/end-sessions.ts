import { shutOut } from '../access/shut-out.ts';
import type { ShutOutCause } from '../access/shut-out-causes.ts';
import { type AccountsTable, lockAccountRow } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../store/database.ts';
import { audit, masked, type Operation, operatorVisit } from './operation.ts';

/** Signs an account out everywhere. Returns how many sessions ended. */
export const endSessions = ({ store, ...operation }: Operation, account: AccountsTable): Promise<number> =>
  store.transaction().execute(async (trx) => {
    await lockAccountRow(trx, account.id);
    await audit(trx, operation, { action: 'sessions_ended', accountId: account.id, subject: masked(account.email) });
    return shutOutByOperator(trx, { account, cause: 'sessions_ended', at: operation.now });
  });

interface OperatorShutOut {
  readonly account: AccountsTable;
  readonly cause: Extract<ShutOutCause, 'locked' | 'sessions_ended'>;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Ends access in a transaction that has locked the account, and records it for the owner. Returns how many sessions ended. */
export async function shutOutByOperator(
  trx: StoreTransaction,
  { account, cause, at }: OperatorShutOut,
): Promise<number> {
  const { sessions } = await shutOut(trx, { account, cause, at });
  if (sessions > 0)
    await recordActivity(trx, { accountId: account.id, at, kind: 'sessions_ended', visitor: operatorVisit });
  return sessions;
}
