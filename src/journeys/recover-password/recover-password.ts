import type { Browser, Proof } from '../../access/admit.ts';
import { admit } from '../../access/admit.ts';
import { type Keep, once } from '../../access/once.ts';
import { isGuessablePassword } from '../../access/prove-password.ts';
import { resetAddress } from '../../access/shut-out.ts';
import { type Refusing, refuse, refuseField } from '../../contract/failures.ts';
import type { AdmissionResult, Admitted } from '../../contract/sign-in/admission.ts';
import { enqueueEmail } from '../../outbox/enqueue-email.ts';
import { neverHadPassword } from '../../security/imported-hashes.ts';
import { randomSecret, sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { knownDeviceOf } from '../../store/access/devices.ts';
import { findResetLink, isUsedResetLink, resetLinks } from '../../store/access/reset-links.ts';
import {
  type AccountsTable,
  emailKey,
  findAccount,
  findAccountByEmail,
  lockAccountRow,
  setPassword,
} from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { emailRateLimits, requesterRateLimits } from '../../store/emails/email-rate-limits.ts';
import { countRequestInTransaction } from '../../store/rate-limits.ts';
import type { Visitor } from '../../store/visitor.ts';
import * as contract from './recover-password.contract.ts';

interface RecoveryRequest {
  readonly email: string;
  readonly db_type?: string | undefined;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Emails a reset link to the account's stored address, unless it already received several: those still work. Unknown
 * addresses count alike, so neither the response nor the limit reveals who has an account. Returns the time (ms since
 * the epoch) from which the client may send requests for any address again, or 0.
 */
export async function requestRecovery(service: Service, request: RecoveryRequest): Promise<number> {
  const { email, deviceToken, visitor } = request;
  const { RECOVERY_MAILS_PER_ACCOUNT: max, RECOVERY_MAILS_PER_ADDRESS } = service.config;
  const now = service.now();
  const ofAsker = requesterRateLimits('recovery', visitor, RECOVERY_MAILS_PER_ADDRESS);
  // One commit in either case, so that the response time reveals nothing either.
  const nextAt = await service.store.transaction().execute(async (trx) => {
    const account = await findAccountByEmail(trx, email);
    const deviceHash = deviceToken && sha256(deviceToken);
    const knownDevice = await knownDeviceOf(trx, { deviceHash, account, now });
    // Others behind the same address must not use up the requests of a known device, which has a limit of its own.
    const asked = knownDevice === undefined ? await countRequestInTransaction(trx, ofAsker, now) : undefined;
    if (asked?.state === 'refused') return asked.freeAt;
    const limits = emailRateLimits({
      kind: 'recovery',
      emailHash: sha256(emailKey(email)),
      visitor,
      max,
      knownDevice,
    });
    const counted = await countRequestInTransaction(trx, limits, now);
    if (account && counted.state === 'counted') await postLink(service, trx, { ...request, account });
    return 0;
  });
  service.outbox.wake();
  return nextAt;
}

interface ResetLink extends Pick<RecoveryRequest, 'db_type'> {
  readonly account: AccountsTable;
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
}

/** Whether someone else created the account, and its owner has not entered it yet. */
export const isInvited = (account: AccountsTable): boolean =>
  account.email_proven_at === null && neverHadPassword(account);

/** Emails a reset link to the account's stored address, which invites someone who has never entered the account. */
export async function postLink(
  service: Pick<Service, 'now' | 'secrets'> & { readonly config: Pick<Service['config'], 'PUBLIC_URL'> },
  trx: StoreTransaction,
  { account, db_type, visitor }: ResetLink,
): Promise<void> {
  await lockAccountRow(trx, account.id);
  const now = service.now();
  const secret = randomSecret(256);
  const isFirst = isInvited(account);
  const link = resetAddress(service.config.PUBLIC_URL, { account, secret, isFirst });
  const outboxId = await enqueueEmail(trx, {
    notice: isFirst ? 'invitation' : 'recovery',
    params: { link },
    account,
    at: now,
    secrets: service.secrets,
  });
  await resetLinks.add(trx, {
    token_hash: sha256(secret),
    account_id: account.id,
    outbox_id: outboxId,
    created_at: now,
    db_type: db_type ?? null,
  });
  await recordActivity(trx, { accountId: account.id, at: now, kind: 'recovery_requested', visitor });
}

/**
 * Finds a valid link. Refuses a link that is unknown, used, expired or for another address, and shows its owner, who has
 * the secret, whether it was used.
 */
export async function openResetLink(
  service: Service,
  endpoint: Refusing<'reset_link_invalid'>,
  { email, hash }: { email: string; hash: string },
) {
  const [tokenHash, key] = [sha256(hash), emailKey(email)];
  const link = await findResetLink(service.store, { tokenHash, now: service.now() });
  if (link?.email_key === key) return link;
  const isUsed = await isUsedResetLink(service.store, { tokenHash, key });
  throw refuse(endpoint, 'reset_link_invalid', isUsed ? { used: true } : {});
}

type OpenLink = Awaited<ReturnType<typeof openResetLink>>;

interface PasswordReset {
  readonly email: string;
  readonly hash: string;
  readonly password: string;
  /** What only the browser has that opened the link. */
  readonly opener: string | undefined;
  readonly browser: Browser;
}

/**
 * Consumes the link, sets the password, ends all access by the old one, and notifies the owner. The browser becomes a
 * known device, so that a stranger's guesses cannot lock out the owner; it still has to sign in. Refuses with
 * `reset_link_invalid` or `password_common`.
 */
export function resetPassword(service: Service, reset: PasswordReset): Promise<Admitted> {
  const { email, hash, password, opener, browser } = reset;
  const step = { name: 'reset', browser: opener, request: [email, hash, password] };
  return once<Admitted>(service, { step, again: async (admitted) => admitted }, async (keep) => {
    const link = await openResetLink(service, contract.resetPassword, { email, hash });
    if (isGuessablePassword(service, password, link))
      throw refuseField(contract.resetPassword, { field: 'password', code: 'password_common' });
    const passwordHash = await service.gate.run({ from: browser.visitor }, () => service.passwords.hash(password));
    return admitReset(service, { hash, passwordHash, link, browser, keep });
  });
}

interface OpenedReset {
  readonly hash: string;
  readonly passwordHash: string;
  readonly link: OpenLink;
  readonly browser: Browser;
  readonly keep: Keep<Admitted>;
}

async function admitReset(service: Service, reset: OpenedReset): Promise<Admitted> {
  const { link, browser } = reset;
  const account = { id: link.account_id };
  const deviceHash = browser.deviceToken && sha256(browser.deviceToken);
  const knownDevice = await knownDeviceOf(service.store, { deviceHash, account, now: service.now() });
  const proof = resetProof(reset);
  const dbType = link.db_type ?? undefined;
  const keep: Keep<AdmissionResult> = (trx, kept) =>
    reset.keep(trx, { ...kept, result: beginningNothing(kept.result) });
  const admitted = await admit(service, { proof, browser, isKnown: knownDevice !== undefined, dbType, keep });
  return beginningNothing(admitted);
}

function beginningNothing(admitted: AdmissionResult): Admitted {
  if ('pending' in admitted) throw new Error('a reset begins no session, so it needs no second step');
  return admitted;
}

const resetProof = ({ hash, passwordHash, link: { account_id: accountId } }: OpenedReset): Proof => ({
  method: 'recovery',
  async redeem(trx, now) {
    await lockAccountRow(trx, accountId);
    const used = await resetLinks.use(trx, { token_hash: sha256(hash) }, now);
    const account = used ? await findAccount(trx, accountId) : undefined;
    if (!account) throw refuse(contract.resetPassword, 'reset_link_invalid', { used: true });
    return account;
  },
  async establish(trx, { account, isCleared, now }) {
    await setPassword(trx, { accountId, hash: passwordHash, at: now });
    await enqueueEmail(trx, {
      notice: 'password_changed',
      params: { when: now, cleared: isCleared, first: isInvited(account) && !isCleared },
      account: { ...account, ...(isCleared && { name: '' }), email_proven_at: now },
      at: now,
    });
  },
});
