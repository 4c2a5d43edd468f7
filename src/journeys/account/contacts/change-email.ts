import { type Keep, once } from '../../../access/once.ts';
import { reauthenticate } from '../../../access/prove-password.ts';
import { shutOut } from '../../../access/shut-out.ts';
import * as accountContract from '../../../contract/account.ts';
import { type Failure, refuse, refuseField, tooMuch } from '../../../contract/failures.ts';
import { pathIn } from '../../../contract/languages.ts';
import { days, hours } from '../../../contract/units.ts';
import { isUsableAddress } from '../../../outbox/domains/addresses.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { isEmailProof, randomSecret, sha256, writeEmailProof } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount, type Owner } from '../../../store/access/session-owner.ts';
import { findNamed, isLive, type NamedSession } from '../../../store/access/sessions.ts';
import {
  type AccountsTable,
  emailKey,
  findAccount,
  findAccountByEmail,
  lockAndFindAccount,
  proveEmail,
} from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import {
  addEmailChange,
  type EmailChangesTable,
  findEmailChange,
  forgetEmailWish,
  forgetPendingEmailChanges,
  isUsedChangeLink,
  keepChange,
  setEmail,
  undoWithin,
} from '../../../store/accounts/email-changes.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { isUniqueViolation } from '../../../store/database-errors.ts';
import { findSuppressed } from '../../../store/emails/suppression-list.ts';
import { countRequestInTransaction, limitKey, type RateLimit } from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { recordEvent } from '../../../store/webhooks/record-event.ts';
import * as contract from './change-email.contract.ts';

/** Emails per hour that one account may trigger, for all addresses together. */
export const changeMailsPerHour = 5;
/** Links to one address, from all accounts together: it may belong to a stranger. */
const maxToAddress = { hour: 3, day: 5 };

interface AddressRequest {
  readonly accountId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly authTime: number;
  readonly password?: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Emails a link to the new address. Refuses with `too_many_mails`, `account_exists`, `email_cannot_be_used`, or
 * `email_unchanged` at the field.
 */
export async function requestEmailChange(service: Service, request: AddressRequest): Promise<void> {
  const endpoint = contract.requestEmailChange;
  const { accountId, authTime, email, password, visitor: from } = request;
  // The mail server of the address may take seconds to respond: query it before this request takes a slot of the hash gate.
  const isUsable = await isUsableAddress(service, email);
  const nextAt = await reauthenticate(service, { endpoint, accountId, authTime, password, from }, async () => {
    if (!isUsable) throw refuse(endpoint, 'email_cannot_be_used');
    return sendLink(service, request);
  });
  if (nextAt > 0) throw tooMuch(endpoint, 'too_many_mails', nextAt - service.now());
}

/** Returns the time (ms since the epoch) at which more may be sent, or 0. */
async function sendLink(service: Service, { accountId, sessionId, email }: AddressRequest): Promise<number> {
  const endpoint = contract.requestEmailChange;
  const now = service.now();
  // Refused only after the commit, so that the request counts: the refusal reveals who has an account.
  const asked = await service.store.transaction().execute(async (trx) => {
    const account = await lockSignedInAccount(trx, { endpoint, accountId, sessionId, now });
    const requests = { key: limitKey('email-change', account.id), limit: changeMailsPerHour, within: hours(1) };
    const limits = { requests, emails: limitsOfAddress(email) };
    return postChangeLink(service, trx, { account, email, sessionId, now, limits });
  });
  if (asked.refusal === 'account_exists') throw refuse(endpoint, asked.refusal);
  if (asked.refusal) throw refuseField(endpoint, { field: 'email', code: asked.refusal });
  service.outbox.wake();
  return asked.nextAt;
}

interface WantedChange {
  /** Its row is locked. */
  readonly account: AccountsTable;
  readonly email: string;
  /** Null if an operator asks. */
  readonly sessionId: string | null;
  readonly now: number;
  /** Of all requests of whoever asks, and of the emails to the new address. */
  readonly limits: { readonly requests: RateLimit; readonly emails: readonly RateLimit[] };
}

interface Outcome {
  /** When (ms since the epoch) more may be sent; 0 if this was. */
  readonly nextAt: number;
  readonly refusal?: 'account_exists' | 'email_unchanged';
}

/** Emails the link that changes the address to a new one, unless a limit is reached. */
export async function postChangeLink(
  service: Pick<Service, 'config' | 'secrets'>,
  trx: StoreTransaction,
  { account, email, sessionId, now, limits }: WantedChange,
): Promise<Outcome> {
  const counted = await countRequestInTransaction(trx, [limits.requests], now);
  if (counted.state === 'refused') return { nextAt: counted.freeAt };
  const taken = await findAccountByEmail(trx, email);
  const isTheirs = taken?.id === account.id;
  if (taken && !isTheirs) return { nextAt: 0, refusal: 'account_exists' };
  // Their own address after a bounce: opening the link proves that emails arrive again.
  if (isTheirs && !(await findSuppressed(trx, email))) return { nextAt: 0, refusal: 'email_unchanged' };
  const toAddress = await countRequestInTransaction(trx, limits.emails, now);
  if (toAddress.state === 'refused') return { nextAt: toAddress.freeAt };
  const secret = randomSecret(256);
  const change = { email, account_id: account.id, created_at: now, requested_in: sessionId };
  await addEmailChange(trx, { token_hash: sha256(secret), ...change });
  const by = sessionId === null ? ('operator' as const) : ('owner' as const);
  const params = { by, link: linkTo(service, account, { email, hash: secret }) };
  const to = { ...account, email };
  await enqueueEmail(trx, { notice: 'email_change', params, account: to, at: now, secrets: service.secrets });
  return { nextAt: 0 };
}

function limitsOfAddress(email: string): RateLimit[] {
  const key = limitKey('email-change-to', sha256(emailKey(email)));
  return [
    { key, limit: maxToAddress.hour, within: hours(1) },
    { key, limit: maxToAddress.day, within: days(1), onlyChecked: true },
  ];
}

/** Voids the link of a requested change. */
export async function cancelEmailChange(trx: StoreTransaction, { accountId }: Owner): Promise<void> {
  await forgetPendingEmailChanges(trx, accountId);
}

interface ConfirmingBrowser {
  readonly hash: string;
  /** What only the browser has that opened the link. */
  readonly opener: string | undefined;
  readonly visitor: Visitor;
  /** The session of the browser that opens the link, if it has one. */
  readonly session: NamedSession | undefined;
}

/**
 * Uses the new address from now on, and emails the old one a link that undoes it. Unless an operator entered the new one,
 * only the account's own session proves that its owner reads it: a thief could have entered a victim's address, and the
 * victim presses the button.
 */
export function changeEmail(service: Service, request: ConfirmingBrowser): Promise<ChangedEmail> {
  const step = { name: 'change_email', browser: request.opener, request: request.hash };
  const again = async (changed: ChangedEmail) =>
    (await findAccount(service.store, changed.accountId))?.email === changed.email ? changed : undefined;
  return once<ChangedEmail>(service, { step, again }, (keep) => confirmChange(service, request, keep));
}

interface ChangedEmail {
  readonly email: string;
  readonly accountId: string;
}

async function confirmChange(
  service: Service,
  { hash, session, visitor }: ConfirmingBrowser,
  keep: Keep<ChangedEmail>,
): Promise<ChangedEmail> {
  const endpoint = contract.changeEmail;
  const now = service.now();
  const changing = service.store.transaction().execute(async (trx) => {
    const presented = { hash: sha256(hash), now };
    const change = await findEmailChange(trx, presented);
    const account = change && (await lockAndFindAccount(trx, change.account_id));
    // Check again under the lock: someone may have used the link at the same time.
    if (!account || !(await findEmailChange(trx, presented))) throw await expired(trx, presented.hash);
    const opening = await findNamed(trx, session);
    const isOwner = opening !== undefined && isLive(opening, now) && opening.account_id === account.id;
    const isSame = emailKey(change.email) === account.email_key;
    const provenBefore = isSame ? account.email_proven_at : null;
    // An operator knows whose address it is, and the link shows that they read its email.
    const provenAt = isOwner || change.requested_in === null ? now : provenBefore;
    if (!(await setEmail(trx, { id: account.id, email: change.email, provenAt })))
      throw refuse(endpoint, 'account_exists');
    const changed = { email: change.email, accountId: account.id };
    await keep(trx, { accountId: account.id, result: changed, at: now });
    if (isSame) {
      await forgetEmailWish(trx, change.token_hash);
      await recordEvent(trx, { type: 'account.changed', accountId: account.id, at: now });
      return changed;
    }
    await keepUndo(service, trx, { account, change, confirmedIn: isOwner ? opening.id : null, now });
    await forgetPendingEmailChanges(trx, account.id);
    await shutOut(trx, { account, cause: 'address_changed', at: now, parts: service.parts });
    await recordActivity(trx, { accountId: account.id, at: now, kind: 'email_changed', visitor });
    return changed;
  });
  const changed = await changing.catch(takenAs(endpoint));
  service.outbox.wake();
  return changed;
}

/** A used link says so: the response to its first request may have been lost. */
async function expired(trx: StoreTransaction, hash: string): Promise<Failure> {
  const isUsed = await isUsedChangeLink(trx, hash);
  return refuse(contract.changeEmail, 'confirmation_link_expired', isUsed ? { used: true } : {});
}

interface MadeChange {
  /** The row before the change, with the old address. */
  readonly account: AccountsTable;
  readonly change: EmailChangesTable;
  /** The account's session that opened the link. */
  readonly confirmedIn: string | null;
  readonly now: number;
}

async function keepUndo(
  service: Service,
  trx: StoreTransaction,
  { account, change, confirmedIn, now }: MadeChange,
): Promise<void> {
  const { email: old_email, email_proven_at: old_email_proven_at } = account;
  const secret = randomSecret(256);
  await keepChange(trx, change.token_hash, {
    changed_at: now,
    undo_hash: sha256(secret),
    old_email,
    old_email_proven_at,
    confirmed_in: confirmedIn,
  });
  const link = linkTo(service, account, { email: old_email, hash: `undo.${secret}` });
  const params = { link, when: now + undoWithin, email: change.email };
  await enqueueEmail(trx, { notice: 'email_changed', params, account, at: now, secrets: service.secrets });
}

/** URL of the page that confirms or undoes a change. Its origin is the operator's setting, never a request header. */
function linkTo({ config }: Pick<Service, 'config'>, { locale }: AccountsTable, query: Record<string, string>): string {
  const link = new URL(pathIn(locale, '/change-email/'), config.PUBLIC_URL);
  for (const [name, value] of Object.entries(query)) link.searchParams.set(name, value);
  return link.href;
}

/** Refuses with `account_exists` if another account took the address first. */
export const takenAs =
  (endpoint: typeof contract.changeEmail | typeof contract.undoEmailChange | typeof contract.previewUndo) =>
  (error: unknown): never => {
    throw isUniqueViolation(error) ? refuse(endpoint, 'account_exists') : error;
  };

/**
 * Records that the signed-in user reads the account's email. The link alone would prove nothing: if a stranger entered
 * the address, its owner or their mail scanner may also open the link.
 */
export async function confirmEmail(
  { keyring }: Service,
  trx: StoreTransaction,
  { account, accountId, at, hash }: Owner & { readonly hash: string },
): Promise<void> {
  // The link proves only the address that it was sent to, and the account may have another one by now.
  if (!isEmailProof(keyring.emailProofs, hash, { accountId, email: account.email }))
    throw refuse(accountContract.confirmEmail, 'confirmation_link_expired');
  await proveEmail(trx, { accountId, at });
}

/** Few, since a stranger may have registered with the address: its owner gets these emails. */
export const confirmationMailsPerPeriod = { hour: 3, day: 5 };

/** Emails the owner the link that confirms the address, unless it is confirmed. Returns when more may be sent, or 0. */
export async function resendConfirmation(
  service: Parameters<typeof postConfirmation>[0],
  trx: StoreTransaction,
  { account, at }: Owner,
): Promise<number> {
  if (account.email_proven_at !== null) return 0;
  const key = limitKey('email-confirmation', sha256(emailKey(account.email)));
  const hourly = { key, limit: confirmationMailsPerPeriod.hour, within: hours(1) };
  const daily = { key, limit: confirmationMailsPerPeriod.day, within: days(1), onlyChecked: true } as const;
  const counted = await countRequestInTransaction(trx, [hourly, daily], at);
  if (counted.state === 'refused') return counted.freeAt;
  await postConfirmation(service, trx, { account, at });
  return 0;
}

/** Emails the link that confirms the account's address. */
export async function postConfirmation(
  { config, secrets, keyring }: Pick<Service, 'config' | 'secrets' | 'keyring'>,
  trx: StoreTransaction,
  { account, at }: Pick<Owner, 'account' | 'at'>,
): Promise<void> {
  const link = new URL(pathIn(account.locale, '/account/security/'), config.PUBLIC_URL);
  const { id: accountId, email } = account;
  link.searchParams.set('hash', writeEmailProof(keyring.emailProofs[0] as Buffer, { accountId, email }));
  await enqueueEmail(trx, { notice: 'email_confirmation', params: { link: link.href }, account, at, secrets });
}
