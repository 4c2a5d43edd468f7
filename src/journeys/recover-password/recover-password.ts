import { pathIn } from '../../contract/languages.ts';
import { type Refusing, refuse, refuseField } from '../../contract/refuse.ts';
import { post } from '../../outbox/post.ts';
import { isGuessable } from '../../security/common-passwords.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { deviceLifetime, forgetDevices, isKnownDevice, rememberDevice } from '../../store/access/devices.ts';
import { unlock } from '../../store/access/lockouts.ts';
import { forgetMailCodes } from '../../store/access/mail-codes.ts';
import { addResetLink, consumeResetLink, findResetLink } from '../../store/access/reset-links.ts';
import { endSessionsOf } from '../../store/access/sessions.ts';
import {
  type AccountsTable,
  clearEntries,
  emailKey,
  findAccountByEmail,
  holdAccount,
  keepDbType,
  proveEmail,
  setPassword,
} from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity.ts';
import { recordConsent } from '../../store/accounts/consents.ts';
import { forgetEmailWishes } from '../../store/accounts/email-changes.ts';
import { removeComputersOf } from '../../store/computers/computers.ts';
import { forgetEnrolments } from '../../store/computers/enrolments.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { askerLimits, knownDeviceOf, mailLimits } from '../../store/letters/mail-limits.ts';
import { countRequestIn } from '../../store/limits.ts';
import type { Visitor } from '../../store/visitor.ts';
import * as contract from './recover-password.contract.ts';

interface Request {
  readonly email: string;
  readonly db_type?: string | undefined;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Posts a reset link to the account's stored address, unless several are there already: those work still. Unknown
 * addresses are counted alike, so neither the answer nor the limit tells who has an account. Returns the time (ms since
 * the epoch) at which whoever asks may do so again for any address, or 0.
 */
export async function requestRecovery(service: Service, request: Request): Promise<number> {
  const { email, deviceToken, visitor } = request;
  const { RECOVERY_MAILS_PER_ACCOUNT: most, RECOVERY_MAILS_PER_ADDRESS } = service.config;
  const now = service.now();
  const ofAsker = askerLimits('recovery', visitor, RECOVERY_MAILS_PER_ADDRESS);
  // One commit in either case, so that the time does not tell, either.
  const nextAt = await service.store.transaction().execute(async (trx) => {
    const asked = await countRequestIn(trx, ofAsker, now);
    if (asked.state === 'refused') return asked.freeAt;
    const account = await findAccountByEmail(trx, email);
    const deviceHash = deviceToken && sha256(deviceToken);
    const knownDevice = await knownDeviceOf(trx, { deviceHash, account, now });
    const limits = mailLimits({ kind: 'recovery', emailHash: sha256(emailKey(email)), visitor, most, knownDevice });
    const counted = await countRequestIn(trx, limits, now);
    if (account && counted.state === 'counted') await postLink(service, trx, { ...request, account });
    return 0;
  });
  service.outbox.wake();
  return nextAt;
}

async function postLink(
  service: Service,
  trx: StoreTransaction,
  { account, db_type, visitor }: Omit<Request, 'email' | 'deviceToken'> & { account: AccountsTable },
): Promise<void> {
  await holdAccount(trx, account.id);
  const now = service.now();
  const secret = randomSecret(256);
  const link = resetLink(service.config.PUBLIC_URL, account, secret);
  const outboxId = await post(trx, { notice: 'recovery', params: { link }, account, at: now });
  await addResetLink(trx, {
    token_hash: sha256(secret),
    account_id: account.id,
    outbox_id: outboxId,
    created_at: now,
    db_type: db_type ?? null,
  });
  await recordActivity(trx, { accountId: account.id, at: now, kind: 'recovery_requested', visitor });
}

/** The link of a recovery mail: its origin is the operator's setting, never a request's header. */
function resetLink(publicUrl: string, account: Pick<AccountsTable, 'email' | 'locale'>, secret: string): string {
  const link = new URL(pathIn(account.locale, '/reset-password/'), publicUrl);
  link.searchParams.set('email', account.email);
  link.searchParams.set('hash', secret);
  return link.href;
}

interface ResetLink {
  readonly email: string;
  readonly hash: string;
}

/** The account that a link still opens; refuses a link that is unknown, used, expired or another address's. */
export async function openResetLink(
  service: Service,
  endpoint: Refusing<'reset_link_invalid'>,
  { email, hash }: ResetLink,
) {
  const link = await findResetLink(service.store, { tokenHash: sha256(hash), now: service.now() });
  if (!link || link.email_key !== emailKey(email)) throw refuse(endpoint, 'reset_link_invalid');
  return link;
}

type OpenLink = Awaited<ReturnType<typeof openResetLink>>;

/** Refuses a password that would be guessed first. */
export function judgePassword({ config }: Service, { email, name }: OpenLink, password: string): void {
  const ownWords = [email, email.split('@', 1)[0] as string, name, config.PRODUCT_NAME];
  if (isGuessable(password, ownWords))
    throw refuseField(contract.resetPassword, { field: 'password', code: 'password_common' });
}

interface NewPassword {
  readonly hash: string;
  readonly passwordHash: string;
  readonly account: OpenLink;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Consumes the link and sets the password; ends every session, tells the owner, and opens the account's lock. Returns
 * the token by which this browser is known from now on, so that no stranger's guesses keep its owner out.
 */
export async function resetPassword(
  service: Service,
  { hash, passwordHash, account, deviceToken: shown, visitor }: NewPassword,
): Promise<string> {
  const now = service.now();
  const deviceToken = randomSecret(256);
  // Anybody may have registered with this address; what they entered is none of its owner's.
  const isUnproven = account.email_proven_at === null;
  const accountId = account.account_id;
  await service.store.transaction().execute(async (trx) => {
    await holdAccount(trx, accountId);
    if (!(await consumeResetLink(trx, { tokenHash: sha256(hash), accountId, now })))
      throw refuse(contract.resetPassword, 'reset_link_invalid');
    await setPassword(trx, { accountId, hash: passwordHash, at: now });
    await endSessionsOf(trx, { accountId, reason: 'password_changed', at: now });
    await forgetMailCodes(trx, { accountId, now });
    await forgetEmailWishes(trx, accountId);
    await forgetEnrolments(trx, accountId);
    await unlock(trx, { emailHash: sha256(account.email_key), accountId });
    const isKnown = shown !== undefined && (await isKnownDevice(trx, knownAs(shown, accountId, now)));
    await forgetDevices(trx, accountId);
    await rememberDevice(trx, { tokenHash: sha256(deviceToken), accountId, at: now, visitor });
    if (isUnproven) await clearStrangersEntries(trx, account, now);
    // Added again with some work, so they stay where the browser shows that this is whoever was signed in before.
    if (isUnproven && !isKnown) await removeComputersOf(trx, accountId);
    await proveEmail(trx, { accountId, at: now });
    if (account.db_type) await keepDbType(trx, accountId, account.db_type);
    await recordActivity(trx, { accountId, at: now, kind: 'password_reset', visitor });
    await post(trx, {
      notice: 'password_changed',
      params: { when: now, cleared: isUnproven },
      account: { ...account, id: accountId, ...(isUnproven && { name: '' }) },
      at: now,
    });
  });
  service.outbox.wake();
  return deviceToken;
}

const knownAs = (deviceToken: string, accountId: string, now: number) => ({
  tokenHash: sha256(deviceToken),
  accountId,
  since: now - deviceLifetime,
});

/** Also the consent to offers, which the reader of this mail has not given. */
async function clearStrangersEntries(trx: StoreTransaction, account: OpenLink, at: number): Promise<void> {
  const { account_id, locale } = account;
  await clearEntries(trx, account_id);
  await recordConsent(trx, { account_id, locale, at, kind: 'offers', given: 0 });
}
