import { hours } from '../../../contract/durations.ts';
import { pathIn } from '../../../contract/languages.ts';
import { refuse } from '../../../contract/refuse.ts';
import { isUsableAddress } from '../../../outbox/domains/usable-address.ts';
import { post } from '../../../outbox/post.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/foundation.ts';
import { forgetDevices } from '../../../store/access/devices.ts';
import { forgetMailCodes } from '../../../store/access/mail-codes.ts';
import { closeResetLinks } from '../../../store/access/reset-links.ts';
import { endSessionsOf } from '../../../store/access/sessions.ts';
import {
  type AccountsTable,
  emailKey,
  findAccount,
  findAccountByEmail,
  holdAccount,
} from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity.ts';
import { deleteAccount, takeDeletionBack } from '../../../store/accounts/delete-account.ts';
import {
  addEmailChange,
  findEmailChange,
  findUndoableChange,
  forgetEmailChanges,
  keepChange,
  setEmail,
  undoWithin,
} from '../../../store/accounts/email-changes.ts';
import { forgetEnrolments } from '../../../store/computers/enrolments.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { isTaken } from '../../../store/faults.ts';
import { findUnreachable } from '../../../store/letters/unreachable-addresses.ts';
import { limitKey } from '../../../store/limit-keys.ts';
import { countRequestIn } from '../../../store/limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import * as contract from './change-email.contract.ts';

/** Letters an hour that one account may have sent to whichever addresses. */
const mostMails = 5;

interface Wish {
  readonly account: AccountsTable;
  readonly email: string;
}

/** Sends a link to the new address. Returns the time (ms since the epoch) at which more may be sent, or 0. */
export async function requestEmailChange(service: Service, { account, email }: Wish): Promise<number> {
  const endpoint = contract.requestEmailChange;
  const now = service.now();
  if (!(await isUsableAddress(service, email))) throw refuse(endpoint, 'email_cannot_be_used');
  const asked = await service.store.transaction().execute(async (trx) => {
    await holdAccount(trx, account.id);
    const limit = { key: limitKey('email-change', account.id), limit: mostMails, within: hours(1) };
    const counted = await countRequestIn(trx, [limit], now);
    if (counted.state === 'refused') return { nextAt: counted.freeAt };
    const taken = await findAccountByEmail(trx, email);
    // Their own address where mails came back: opening the link shows that they arrive again.
    const isTheirs = taken?.id === account.id && (await findUnreachable(trx, email)) !== undefined;
    // Told only afterwards, so that this counts as well: it says who has an account.
    if (taken && !isTheirs) return { nextAt: 0, isTaken: true };
    const secret = randomSecret(256);
    await addEmailChange(trx, { token_hash: sha256(secret), account_id: account.id, email, created_at: now });
    const link = linkTo(service, account, { email, hash: secret });
    await post(trx, { notice: 'email_change', params: { link }, account: { ...account, email }, at: now });
    return { nextAt: 0 };
  });
  if (asked.isTaken) throw refuse(endpoint, 'account_exists');
  service.outbox.wake();
  return asked.nextAt;
}

interface Opened {
  readonly hash: string;
  readonly visitor: Visitor;
}

/** Uses the new address from now on, and tells the old one how to take that back. The same one was only to be shown to be read. */
export async function changeEmail(service: Service, { hash, visitor }: Opened): Promise<{ email: string }> {
  const endpoint = contract.changeEmail;
  const now = service.now();
  const changing = service.store.transaction().execute(async (trx) => {
    const change = await findEmailChange(trx, { hash: sha256(hash), now });
    const account = change && (await hold(trx, change.account_id));
    if (!account) throw refuse(endpoint, 'confirmation_link_expired');
    // Held only now: somebody may have opened it at the same time.
    if (!(await findEmailChange(trx, { hash: sha256(hash), now }))) throw refuse(endpoint, 'confirmation_link_expired');
    if (!(await setEmail(trx, { id: account.id, email: change.email, at: now })))
      throw refuse(endpoint, 'account_exists');
    if (emailKey(change.email) === account.email_key) {
      await forgetEmailChanges(trx, account.id);
      return change.email;
    }
    const undo = randomSecret(256);
    const made = { changed_at: now, undo_hash: sha256(undo), old_email: account.email };
    await keepChange(trx, change.token_hash, made);
    await leaveAddress(trx, account, now);
    await recordActivity(trx, { accountId: account.id, at: now, kind: 'email_changed', visitor });
    const link = linkTo(service, account, { email: account.email, hash: `undo.${undo}` });
    const params = { link, until: now + undoWithin, email: change.email };
    await post(trx, { notice: 'email_changed', params, account, at: now });
    return change.email;
  });
  const email = await changing.catch(takenAs(endpoint));
  service.outbox.wake();
  return { email };
}

/** Gives the account back to the old address: whoever had changed it is out, and none of their links works. */
export async function undoEmailChange(service: Service, { hash, visitor }: Opened): Promise<{ email: string }> {
  const endpoint = contract.undoEmailChange;
  const now = service.now();
  const undoing = service.store.transaction().execute(async (trx) => {
    const presented = { hash: sha256(hash.replace(/^undo\./, '')), now };
    const change = await findUndoableChange(trx, presented);
    const account = change && (await hold(trx, change.account_id));
    const email = change?.old_email;
    if (!account || !email || !(await findUndoableChange(trx, presented)))
      throw refuse(endpoint, 'confirmation_link_expired');
    await freeAddress(trx, email, account.id);
    if (!(await setEmail(trx, { id: account.id, email, at: now }))) throw refuse(endpoint, 'account_exists');
    await leaveAddress(trx, account, now);
    await forgetEmailChanges(trx, account.id);
    await forgetEnrolments(trx, account.id);
    await forgetDevices(trx, account.id);
    await takeDeletionBack(trx, account.id);
    await endSessionsOf(trx, { accountId: account.id, reason: 'ended_elsewhere', at: now });
    await recordActivity(trx, { accountId: account.id, at: now, kind: 'email_change_undone', visitor });
    return { email };
  });
  return undoing.catch(takenAs(endpoint));
}

/**
 * Deletes what was registered with an address meanwhile and never shown to be its owner's: whoever took the account away could
 * otherwise keep its owner, who reads the address's mail, from having it back.
 */
async function freeAddress(trx: StoreTransaction, email: string, except: string): Promise<void> {
  const found = await findAccountByEmail(trx, email);
  const other = found && found.id !== except ? await hold(trx, found.id) : undefined;
  if (other?.email_proven_at === null) await deleteAccount(trx, { account: other, emailHash: sha256(emailKey(email)) });
}

/** Another account was quicker to get the address. */
const takenAs = (endpoint: typeof contract.changeEmail | typeof contract.undoEmailChange) => (error: unknown) => {
  throw isTaken(error) ? refuse(endpoint, 'account_exists') : error;
};

/** What was mailed to the address before opens nothing any more. */
async function leaveAddress(trx: StoreTransaction, { id, email }: AccountsTable, now: number): Promise<void> {
  await closeResetLinks(trx, { accountId: id, now });
  await forgetMailCodes(trx, { accountId: id, now });
  await trx.deleteFrom('mail_codes').where('email_key', '=', emailKey(email)).execute();
}

async function hold(trx: StoreTransaction, id: string): Promise<AccountsTable | undefined> {
  await holdAccount(trx, id);
  return findAccount(trx, id);
}

/** Its origin is the operator's setting, never a request's header. */
function linkTo(service: Service, { locale }: AccountsTable, query: Record<string, string>): string {
  const link = new URL(pathIn(locale, '/change-email/'), service.config.PUBLIC_URL);
  for (const [name, value] of Object.entries(query)) link.searchParams.set(name, value);
  return link.href;
}
