import { type Keep, once } from '../../../access/once.ts';
import { resetAddress, shutOut } from '../../../access/shut-out.ts';
import { refuse } from '../../../contract/failures.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { isPassword } from '../../../security/imported-hashes.ts';
import { randomSecret, sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { knownDeviceOf } from '../../../store/access/devices.ts';
import { resetLinks } from '../../../store/access/reset-links.ts';
import { credentialSessionsOnNewDevices, sessionLifetime } from '../../../store/access/sessions.ts';
import {
  type AccountsTable,
  changeAccount,
  emailKey,
  findAccountByEmail,
  lockAndFindAccount,
} from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { deleteAccount } from '../../../store/accounts/delete-account.ts';
import { findUndoableChange, sessionsOfChangesSince, setEmail } from '../../../store/accounts/email-changes.ts';
import { endGrantsOfAccount } from '../../../store/applications/end-grants.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { recordEvent } from '../../../store/webhooks/record-event.ts';
import * as contract from './change-email.contract.ts';
import { takenAs } from './change-email.ts';

interface OpenedLink {
  readonly hash: string;
  /** What only the browser has that opened the link. */
  readonly opener: string | undefined;
  readonly visitor: Visitor;
  readonly deviceToken: string | undefined;
}

/**
 * Gives the account back to the old address. Ends every session, voids the password and removes computers added since
 * the change, as well as passkeys and a second step added since then or by a session that made the change. Returns the
 * secret of a reset link, which is also emailed to the address.
 */
export function undoEmailChange(service: Service, request: OpenedLink): Promise<UndoneChange> {
  const { store, now } = service;
  const step = { name: 'undo_email', browser: request.opener, request: request.hash };
  const again = async (undone: UndoneChange) =>
    (await resetLinks.find(store, { token_hash: sha256(undone.reset) }, now())) && undone;
  return once<UndoneChange>(service, { step, again }, (keep) => undo(service, request, keep));
}

interface UndoneChange {
  readonly email: string;
  readonly reset: string;
  readonly removed: number;
  readonly accountId: string;
}

async function undo(service: Service, opened: OpenedLink, keep: Keep<UndoneChange>): Promise<UndoneChange> {
  const { now, store } = service;
  const at = now();
  const undoing = store.transaction().execute(async (trx) => {
    const { undone } = await undoIn(service, trx, { ...opened, endpoint: contract.undoEmailChange, now: at });
    await keep(trx, { accountId: undone.accountId, result: undone, at });
    return undone;
  });
  const undone = await undoing.catch(takenAs(contract.undoEmailChange));
  service.outbox.wake();
  return undone;
}

/** What an undo would remove, from one that is rolled back. Mail scanners may open the page, so nothing may change. */
export async function previewUndo(service: Service, opened: OpenedLink): Promise<Undoing['removes']> {
  const endpoint = contract.previewUndo;
  const trx = await service.store.startTransaction().execute();
  try {
    return (await undoIn(service, trx, { ...opened, endpoint, now: service.now() })).removes;
  } catch (error) {
    return takenAs(endpoint)(error);
  } finally {
    await trx.rollback().execute();
  }
}

interface Undoing {
  readonly undone: UndoneChange;
  readonly removes: {
    readonly computers: number;
    readonly passkeys: number;
    readonly authenticator: boolean;
    readonly password: boolean;
  };
}

async function undoIn(
  service: Service,
  trx: StoreTransaction,
  {
    hash,
    visitor,
    deviceToken,
    endpoint,
    now,
  }: OpenedLink & { endpoint: typeof contract.undoEmailChange | typeof contract.previewUndo; now: number },
): Promise<Undoing> {
  const presented = { hash: sha256(hash.replace(/^undo\./, '')), now };
  const change = await findUndoableChange(trx, presented);
  const account = change && (await lockAndFindAccount(trx, change.account_id));
  const { old_email: email, old_email_proven_at: provenAt, changed_at: since } = change ?? {};
  if (!account || !email || !since || !(await findUndoableChange(trx, presented)))
    throw refuse(endpoint, 'confirmation_link_expired');
  await freeAddress(trx, { email, accountId: account.id, deviceToken, now });
  if (!(await setEmail(trx, { id: account.id, email, provenAt: provenAt ?? null })))
    throw refuse(endpoint, 'account_exists');
  const distrusted = await distrustedSessions(trx, { accountId: account.id, since });
  const ended = await shutOut(trx, {
    account,
    cause: 'address_returned',
    since,
    distrusted,
    at: now,
    parts: service.parts,
  });
  // A thief may have turned off the emails about new devices.
  await changeAccount(trx, account.id, { mail_new_device: 1 });
  await recordActivity(trx, { accountId: account.id, at: now, kind: 'email_change_undone', visitor });
  const restored = { ...account, email };
  const reset = await addReset(service, trx, { account: restored, now });
  return {
    undone: { email, reset, removed: ended.computers, accountId: account.id },
    removes: {
      computers: ended.computers,
      passkeys: ended.passkeys.length,
      authenticator: ended.secondStep,
      password: isPassword(account.password_hash),
    },
  };
}

/**
 * The sessions that made the change, and those on devices that the account first saw in the 30 days before it, as long as
 * a session lasts: a thief may have added a passkey in another session than the one that changed the address, and waited.
 */
async function distrustedSessions(
  trx: StoreTransaction,
  { accountId, since }: { accountId: string; since: number },
): Promise<string[]> {
  const ofChanges = await sessionsOfChangesSince(trx, { accountId, since });
  return [...ofChanges, ...(await credentialSessionsOnNewDevices(trx, { accountId, since: since - sessionLifetime }))];
}

/** Adds a reset link: the owner sets a password immediately with its secret, or later with the emailed link. */
async function addReset(
  service: Service,
  trx: StoreTransaction,
  { account, now }: { account: AccountsTable; now: number },
): Promise<string> {
  const secret = randomSecret(256);
  const link = resetAddress(service.config.PUBLIC_URL, { account, secret });
  const outboxId = await enqueueEmail(trx, {
    notice: 'email_change_undone',
    params: { link },
    account,
    at: now,
    secrets: service.secrets,
  });
  const reset = { token_hash: sha256(secret), account_id: account.id, outbox_id: outboxId };
  await resetLinks.add(trx, { ...reset, created_at: now, db_type: null });
  return secret;
}

interface ReturningAddress extends Pick<OpenedLink, 'deviceToken'> {
  readonly email: string;
  /** The account that gets it back. */
  readonly accountId: string;
  readonly now: number;
}

/**
 * Deletes an account that was registered with the old address in the meantime and never proved it. Otherwise a thief
 * could register the address to stop its owner from getting the account back. An account that was used in this browser
 * stays: it belongs to the person who opens the link.
 */
async function freeAddress(
  trx: StoreTransaction,
  { email, accountId, deviceToken, now }: ReturningAddress,
): Promise<void> {
  const found = await findAccountByEmail(trx, email);
  const other = found && found.id !== accountId ? await lockAndFindAccount(trx, found.id) : undefined;
  if (other?.email_proven_at !== null) return;
  if (await knownDeviceOf(trx, { deviceHash: deviceToken && sha256(deviceToken), account: other, now })) return;
  // Applications and receivers of webhooks learn that it is gone.
  await endGrantsOfAccount(trx, { accountId: other.id, at: now });
  await deleteAccount(trx, { account: other, emailHash: sha256(emailKey(email)) });
  await recordEvent(trx, { type: 'account.deleted', accountId: other.id, at: now });
}
