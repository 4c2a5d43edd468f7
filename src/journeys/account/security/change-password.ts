import { isGuessablePassword, reauthenticate } from '../../../access/prove-password.ts';
import { shutOut } from '../../../access/shut-out.ts';
import { repeatedWithin } from '../../../contract/endpoint.ts';
import { Failure, refuse, refuseField } from '../../../contract/failures.ts';
import { enqueueCapped } from '../../../outbox/enqueue-email.ts';
import { isPassword } from '../../../security/imported-hashes.ts';
import { sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { findSession } from '../../../store/access/sessions.ts';
import { needsSecondStep } from '../../../store/access/sign-in-lookup.ts';
import { type AccountsTable, findAccount, setPassword } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import type { Visitor } from '../../../store/visitor.ts';
import * as contract from '../account.contract.ts';

interface PasswordChange {
  readonly accountId: string;
  readonly sessionId: string;
  readonly authTime: number;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  readonly account: AccountsTable;
  /** Undefined if a step-up proves who the user is instead. */
  readonly currentPassword: string | undefined;
  readonly password: string;
  readonly visitor: Visitor;
}

/**
 * Changes a signed-in user's password, given the current one or, for an account with a second step or without a
 * password, a recent step-up. A client may repeat a change whose response was lost.
 */
export async function changePassword(service: Service, change: PasswordChange): Promise<void> {
  const { account: owner, accountId, authTime, currentPassword, password, visitor: from } = change;
  const provesByPassword = isPassword(owner.password_hash) && !needsSecondStep(service, owner);
  if (currentPassword === undefined && provesByPassword)
    throw refuseField(contract.changePassword, { field: 'current_password', code: 'password_required' });
  const asking = { endpoint: contract.changePassword, accountId, authTime, from };
  try {
    await reauthenticate(service, { ...asking, password: currentPassword }, (account) =>
      setNewPassword(service, account, change),
    );
  } catch (error) {
    const isOvertaken = error instanceof Failure && ['incorrect_password', 'not_signed_in'].includes(error.code);
    if (!isOvertaken || !(await hasJustChanged(service, change))) throw error;
    // A request before this one has set the new password. This check counts as another guess.
    await reauthenticate(service, { ...asking, password }, async () => undefined);
  }
}

/**
 * Revokes earlier links, codes, known devices and sessions, except the requesting session and its device.
 */
async function setNewPassword(
  service: Service,
  account: AccountsTable,
  { sessionId, deviceToken, password, visitor }: PasswordChange,
): Promise<void> {
  const { id: accountId } = account;
  if (isGuessablePassword(service, password, account))
    throw refuseField(contract.changePassword, { field: 'password', code: 'password_common' });
  const hash = await service.passwords.hash(password);
  const now = service.now();
  await service.store.transaction().execute(async (trx) => {
    const session = { endpoint: contract.changePassword, accountId, sessionId, now };
    const current = await lockSignedInAccount(trx, session);
    // This session has just set another one, which a repeated request may be for.
    if (current.password_changed_at !== account.password_changed_at)
      throw refuse(contract.changePassword, 'not_signed_in');
    const device = deviceToken && sha256(deviceToken);
    await shutOut(trx, {
      account,
      cause: 'password_changed',
      session: sessionId,
      device,
      at: now,
      parts: service.parts,
    });
    await setPassword(trx, { accountId, hash, at: now });
    await recordActivity(trx, { accountId, at: now, kind: 'password_changed', visitor });
    await enqueueCapped(trx, { notice: 'password_changed', params: { when: now, own: true }, account, at: now });
  });
  service.outbox.wake();
}

/**
 * Whether this session set the password moments ago. The change ended every other session from before it, and a reset
 * would have ended all.
 */
async function hasJustChanged(
  { store, now }: Service,
  { accountId, sessionId }: Pick<PasswordChange, 'accountId' | 'sessionId'>,
): Promise<boolean> {
  const account = await findAccount(store, accountId);
  const session = await findSession(store, sessionId);
  if (!account || !session || session.ended_at !== null) return false;
  const { password_changed_at: changedAt } = account;
  return session.created_at < changedAt && changedAt > now() - repeatedWithin;
}
