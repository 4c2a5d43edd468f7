import { resetAddress } from '../../../access/reset-address.ts';
import { shutOut } from '../../../access/shut-out.ts';
import { refuse } from '../../../contract/refuse.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { addResetLink } from '../../../store/access/reset-links.ts';
import { type AccountsTable, findAccountByEmail, holdAndFind } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { deleteAccount } from '../../../store/accounts/delete-account.ts';
import { findUndoableChange, sessionsOfChangesSince, setEmail } from '../../../store/accounts/email-changes.ts';
import { emailKey } from '../../../store/accounts/email-key.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import type { Visitor } from '../../../store/visitor.ts';
import * as contract from './change-email.contract.ts';
import { takenAs } from './change-email-link.ts';

interface OpenedLink {
  readonly hash: string;
  readonly visitor: Visitor;
}

/**
 * Gives the account back to the old address. Ends every session, voids the password and removes computers added since
 * the change, as well as passkeys and a second step added since then or by a session that made the change. Returns the
 * secret of a reset link, which is also emailed to the address.
 */
export async function undoEmailChange(
  service: Service,
  { hash, visitor }: OpenedLink,
): Promise<{ email: string; reset: string; removed: number; accountId: string }> {
  const endpoint = contract.undoEmailChange;
  const now = service.now();
  const undoing = service.store.transaction().execute(async (trx) => {
    const presented = { hash: sha256(hash.replace(/^undo\./, '')), now };
    const change = await findUndoableChange(trx, presented);
    const account = change && (await holdAndFind(trx, change.account_id));
    const { old_email: email, old_email_proven_at: provenAt, changed_at: since } = change ?? {};
    if (!account || !email || !since || !(await findUndoableChange(trx, presented)))
      throw refuse(endpoint, 'confirmation_link_expired');
    await freeAddress(trx, email, account.id);
    if (!(await setEmail(trx, { id: account.id, email, provenAt: provenAt ?? null })))
      throw refuse(endpoint, 'account_exists');
    const distrusted = await sessionsOfChangesSince(trx, { accountId: account.id, since });
    const ended = await shutOut(trx, { account, cause: 'address_returned', since, distrusted, at: now });
    await recordActivity(trx, { accountId: account.id, at: now, kind: 'email_change_undone', visitor });
    const restored = { ...account, email };
    const reset = await addReset(service, trx, { account: restored, now });
    return { email, reset, removed: ended.computers, accountId: account.id };
  });
  const undone = await undoing.catch(takenAs(endpoint));
  service.outbox.wake();
  return undone;
}

/** Adds a reset link: the owner sets a password immediately with its secret, or later with the emailed link. */
async function addReset(
  service: Service,
  trx: StoreTransaction,
  { account, now }: { account: AccountsTable; now: number },
): Promise<string> {
  const secret = randomSecret(256);
  const link = resetAddress(service.config.PUBLIC_URL, account, secret);
  const outboxId = await enqueueEmail(trx, { notice: 'email_change_undone', params: { link }, account, at: now });
  const reset = { token_hash: sha256(secret), account_id: account.id, outbox_id: outboxId };
  await addResetLink(trx, { ...reset, created_at: now, db_type: null });
  return secret;
}

/**
 * Deletes an account that was registered with the old address in the meantime and never proved it. Otherwise a thief
 * could register the address to stop its owner from getting the account back.
 */
async function freeAddress(trx: StoreTransaction, email: string, except: string): Promise<void> {
  const found = await findAccountByEmail(trx, email);
  const other = found && found.id !== except ? await holdAndFind(trx, found.id) : undefined;
  if (other?.email_proven_at === null) await deleteAccount(trx, { account: other, emailHash: sha256(emailKey(email)) });
}
