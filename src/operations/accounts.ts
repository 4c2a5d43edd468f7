import type { WithParts } from '../access/account-part.ts';
import { endSecondStep, reportChange } from '../access/second-step.ts';
import { requestRemoval } from '../access/second-step-removal.ts';
import { shutOut } from '../access/shut-out.ts';
import type { ShutOutCause } from '../access/shut-out-causes.ts';
import { unknownBrowser } from '../contract/activity.ts';
import { deleteForGood } from '../journeys/account/leaving/delete-account.ts';
import { describeAll } from '../journeys/account/leaving/export-account.ts';
import { enqueueCapped } from '../outbox/enqueue-email.ts';
import { sha256 } from '../security/macs.ts';
import { endLockouts } from '../store/access/lockouts.ts';
import { type PasskeysTable, removePasskey as removeRow } from '../store/access/passkeys.ts';
import { type AccountsTable, lockAccountRow, lockAndFindAccount, setLock } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../store/database.ts';
import { deletedSubject } from '../store/operators/audit-log.ts';
import { isLastOwner } from '../store/operators/operators.ts';
import { recordEvent } from '../store/webhooks/record-event.ts';
import { audit, masked, type Operation, operatorVisit } from './operation.ts';

/**
 * Deletes an account and all data of its owner, and notifies the owner by email. Only the audit log keeps a trace. False
 * if it is that of the last owner of the service.
 */
export const deleteAccount = ({ store, ...operation }: Operation, account: AccountsTable): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const { id } = account;
    await lockAccountRow(trx, id);
    if (await isLastOwner(trx, id)) return false;
    await deleteForGood(trx, account, operation.now);
    await audit(trx, operation, { action: 'account_deleted', accountId: id, subject: deletedSubject });
    return true;
  });

/** Signs an account out everywhere. Returns how many sessions ended; undefined if the account is gone. */
export const endSessions = (
  { store, ...operation }: Operation & WithParts,
  { id }: Pick<AccountsTable, 'id'>,
): Promise<number | undefined> =>
  store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, id);
    if (!account) return undefined;
    await audit(trx, operation, { action: 'sessions_ended', accountId: account.id, subject: masked(account.email) });
    return shutOutByOperator(trx, { account, cause: 'sessions_ended', at: operation.now, parts: operation.parts });
  });

interface OperatorShutOut extends WithParts {
  readonly account: AccountsTable;
  readonly cause: Extract<ShutOutCause, 'locked' | 'sessions_ended'>;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Ends access in a transaction that has locked the account, and records it for the owner. Returns how many sessions ended. */
async function shutOutByOperator(
  trx: StoreTransaction,
  { account, cause, at, parts }: OperatorShutOut,
): Promise<number> {
  const { sessions } = await shutOut(trx, { account, cause, at, parts });
  if (sessions > 0)
    await recordActivity(trx, { accountId: account.id, at, kind: 'sessions_ended', visitor: operatorVisit });
  return sessions;
}

/** Everything stored about an account, as its owner can download it. Adds the audit entry before reading. */
export async function exportAccount({ store, ...operation }: Operation & WithParts, account: AccountsTable) {
  const { id: accountId, email } = account;
  await store.transaction().execute(async (trx) => {
    await recordActivity(trx, { accountId, at: operation.now, kind: 'exported', visitor: operatorVisit });
    await audit(trx, operation, { action: 'account_exported', accountId, subject: masked(email) });
  });
  return describeAll({ store, parts: operation.parts }, account, operation.now);
}

/**
 * Blocks every sign-in method of an account until further notice. Returns how many sessions ended; undefined if the
 * account is gone, `last owner` if nobody else could unlock it in the console.
 */
export const lockAccount = (
  { store, ...operation }: Operation & WithParts,
  { id }: Pick<AccountsTable, 'id'>,
): Promise<number | 'last owner' | undefined> =>
  store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, id);
    if (!account) return undefined;
    if (account.locked_at !== null) return 0;
    if (operation.operator.kind !== 'command' && (await isLastOwner(trx, id))) return 'last owner';
    await setLock(trx, { accountId: id, at: operation.now });
    await recordEvent(trx, { type: 'account.locked', accountId: id, at: operation.now });
    await audit(trx, operation, { action: 'account_locked', accountId: id, subject: masked(account.email) });
    return shutOutByOperator(trx, { account, cause: 'locked', at: operation.now, parts: operation.parts });
  });

/** Unlocks an account, whether an operator or wrong passwords locked it; false if it is gone. */
export const unlockAccount = (
  { store, ...operation }: Operation,
  { id }: Pick<AccountsTable, 'id'>,
): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, id);
    if (!account) return false;
    const { email, email_key } = account;
    const ended = await endLockouts(trx, { emailHash: sha256(email_key), accountId: id, secondStep: true });
    if (account.locked_at === null && ended === 0) return true;
    await setLock(trx, { accountId: id, at: null });
    await recordEvent(trx, { type: 'account.changed', accountId: id, at: operation.now });
    await audit(trx, operation, { action: 'account_unlocked', accountId: id, subject: masked(email) });
    return true;
  });

/**
 * Removes a passkey and notifies the owner, who gets back in by recovery if it was the last. Returns the passkey;
 * undefined if the account has none with this id.
 */
export const removePasskey = (
  { store, ...operation }: Operation,
  { account, id }: { readonly account: AccountsTable; readonly id: string },
): Promise<PasskeysTable | undefined> =>
  store.transaction().execute(async (trx) => {
    const { id: accountId, email } = account;
    const at = operation.now;
    await lockAccountRow(trx, accountId);
    const passkey = await removeRow(trx, { id, accountId });
    if (!passkey) return undefined;
    await audit(trx, operation, { action: 'passkey_removed', accountId, subject: masked(email) });
    await recordActivity(trx, { accountId, at, kind: 'passkey_removed', visitor: operatorVisit });
    const params = { passkey: passkey.name, device: unknownBrowser, ip: operatorVisit.ip, when: at };
    await enqueueCapped(trx, { notice: 'passkey_removed', params, account, at });
    return passkey;
  });

interface Removal {
  readonly account: AccountsTable;
  /** The settings, and what seals the link that stops the removal. */
  readonly service: Parameters<typeof requestRemoval>[0];
  /** Skips the delay in which the owner can stop the removal. */
  readonly immediately: boolean;
}

/**
 * Removes the second step of an owner who has lost it, after the same delay as at the owner's own request, or immediately.
 * Returns when (ms since the epoch) it takes effect; undefined if the account has no second step.
 */
export const removeSecondStep = (
  { store, ...operation }: Operation,
  { account: { id, email }, service, immediately }: Removal,
): Promise<number | undefined> =>
  store.transaction().execute(async (trx) => {
    const at = operation.now;
    const account = await lockAndFindAccount(trx, id);
    if (!account || account.second_step_at === null) return undefined;
    const action = immediately ? 'second_step_removed' : 'second_step_removal_requested';
    await audit(trx, operation, { action, accountId: id, subject: masked(email) });
    if (!immediately) return requestRemoval(service, trx, { account, visitor: operatorVisit, at });
    await endSecondStep(trx, id);
    await reportChange(trx, { account, change: 'lost', visitor: operatorVisit, at });
    return at;
  });
