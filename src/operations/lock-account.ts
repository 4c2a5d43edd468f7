import { sha256 } from '../security/secrets.ts';
import { endLockouts } from '../store/access/lockouts.ts';
import { type AccountsTable, lockAccountRow, setLock } from '../store/accounts/accounts.ts';
import { recordEvent } from '../store/webhooks/record-event.ts';
import { shutOutByOperator } from './end-sessions.ts';
import { audit, masked, type Operation } from './operation.ts';

/** Blocks every sign-in method of an account until further notice. Returns how many sessions ended. */
export const lockAccount = ({ store, ...operation }: Operation, account: AccountsTable): Promise<number> =>
  store.transaction().execute(async (trx) => {
    const { id, email } = account;
    await lockAccountRow(trx, id);
    await setLock(trx, { accountId: id, at: operation.now });
    await recordEvent(trx, { type: 'account.locked', accountId: id, at: operation.now });
    await audit(trx, operation, { action: 'account_locked', accountId: id, subject: masked(email) });
    return shutOutByOperator(trx, { account, cause: 'locked', at: operation.now });
  });

/** Unlocks an account, whether an operator or wrong passwords locked it. */
export const unlockAccount = (
  { store, ...operation }: Operation,
  { id, email, email_key }: AccountsTable,
): Promise<void> =>
  store.transaction().execute(async (trx) => {
    await lockAccountRow(trx, id);
    await setLock(trx, { accountId: id, at: null });
    await endLockouts(trx, { emailHash: sha256(email_key), accountId: id, secondStep: true });
    await recordEvent(trx, { type: 'account.changed', accountId: id, at: operation.now });
    await audit(trx, operation, { action: 'account_unlocked', accountId: id, subject: masked(email) });
  });
