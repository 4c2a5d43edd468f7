import { randomUUID } from 'node:crypto';
import type { BodyRead } from '../../contract/endpoint.ts';
import { readPhoneIn } from '../../contract/phone.ts';
import { refuse, refuseField } from '../../contract/refuse.ts';
import { readMailFrom } from '../../outbox/mail.ts';
import { post } from '../../outbox/post.ts';
import { isGuessable } from '../../security/common-passwords.ts';
import { writeEmailProof } from '../../security/email-proofs.ts';
import { readConfirmation } from '../../security/phone-proofs.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { addAccount, emailKey, findAccountByEmail } from '../../store/accounts.ts';
import { beginSession } from '../../store/begin-session.ts';
import { recordConsent } from '../../store/consents.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { useConfirmation } from '../../store/phone-calls.ts';
import { usePromoCode } from '../../store/promo-codes.ts';
import type { Visitor } from '../../store/visitor.ts';
import { register } from './register.contract.ts';

export type Registration = BodyRead<typeof register>;

/** A registration that may become an account once its password is hashed. */
export type Applicant = Omit<Registration, 'phone_confirmation'> & {
  readonly phone: string;
  /** The confirmed call, where one was sent along. */
  readonly call: string | undefined;
};

/** Everything that can be refused before the expensive part: the phone, the password's quality, the address. */
export async function examine(service: Service, form: Registration): Promise<Applicant> {
  const phone = readPhoneIn(form.phone, form.locale);
  if (!phone) throw refuseField(register, { field: 'phone', code: 'phone_invalid' });
  const ownWords = [form.email, form.email.split('@', 1)[0] as string, form.name, service.config.PRODUCT_NAME];
  if (isGuessable(form.password, ownWords)) throw refuseField(register, { field: 'password', code: 'password_common' });
  if (isUnusable(service.config, form.email) || !(await service.outbox.reaches(form.email)))
    throw refuse(register, 'email_cannot_be_used');
  const call = readCall(service, form.phone_confirmation);
  if (await findAccountByEmail(service.store, form.email)) throw refuse(register, 'account_exists');
  return { ...form, phone, call };
}

/** The call that a confirmation is of; refused when there has to be one, or when it is not of our making. */
function readCall({ keyring, config }: Service, confirmation: string | null | undefined): string | undefined {
  if (config.PHONE_CONFIRMATION === 'off') return undefined;
  if (!confirmation && config.PHONE_CONFIRMATION === 'optional') return undefined;
  const call = readConfirmation(keyring.phone, confirmation ?? '');
  if (call === undefined) throw refuseField(register, { field: 'phone_confirmation', code: 'phone_not_confirmed' });
  return call;
}

/** The service's own addresses, what the operator blocks, and names that no mail can reach (RFC 6761, section 6.4). */
function isUnusable(config: Service['config'], email: string): boolean {
  const address = emailKey(email);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (domain.endsWith('.invalid')) return true;
  const ours = [readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME).address, config.SUPPORT_EMAIL ?? ''].map(emailKey);
  return (
    ours.includes(address) || config.EMAIL_BLOCKLIST.map(asKey).some((item) => item === address || item === domain)
  );
}

/** An address, or a domain with or without its @, spelt as accounts' keys are. */
function asKey(item: string): string {
  if (item.indexOf('@') > 0) return emailKey(item);
  return emailKey(`@${item.replace(/^@/, '')}`).slice(1);
}

export interface Registered {
  readonly accountId: string;
  readonly sessionId: string;
  readonly deviceToken: string;
}

interface Admission {
  readonly applicant: Applicant;
  readonly passwordHash: string;
  readonly visitor: Visitor;
}

/** Makes the account, its consents and its first session in one transaction, or nothing at all. */
export async function admit(service: Service, admission: Admission): Promise<Registered> {
  const { applicant, visitor } = admission;
  const now = service.now();
  const accountId = randomUUID();
  const sessionId = randomSecret(128);
  const deviceToken = randomSecret(256);
  await service.store.transaction().execute(async (trx) => {
    const phoneConfirmedAt = await useCall(trx, applicant, now);
    const promoCode = await redeem(trx, applicant.promo_code, now);
    const added = await addAccount(trx, {
      id: accountId,
      email: applicant.email,
      name: applicant.name,
      phone: applicant.phone,
      phone_confirmed_at: phoneConfirmedAt,
      organization: applicant.organization ?? null,
      inn: applicant.inn ?? null,
      promo_code: promoCode,
      locale: applicant.locale,
      db_type: applicant.db_type ?? null,
      last_place: null,
      password_hash: admission.passwordHash,
      password_changed_at: now,
      created_at: now,
    });
    if (!added) throw refuse(register, 'account_exists');
    const consent = { account_id: accountId, locale: applicant.locale, at: now };
    const { PRIVACY_URL, TERMS_URL } = service.config;
    await recordConsent(trx, { ...consent, kind: 'personal_data', given: 1, document: PRIVACY_URL });
    if (TERMS_URL) await recordConsent(trx, { ...consent, kind: 'terms', given: 1, document: TERMS_URL });
    await recordConsent(trx, { ...consent, kind: 'offers', given: applicant.consent_offers ? 1 : 0 });
    await beginSession(trx, {
      sessionId,
      accountId,
      deviceHash: sha256(deviceToken),
      visitor,
      kind: 'registered',
      now,
    });
    const account = { id: accountId, email: applicant.email, name: applicant.name, locale: applicant.locale };
    const proof = writeEmailProof(service.keyring.phone[0] as Buffer, { accountId, email: applicant.email });
    await post(trx, { notice: 'registered', params: { proof }, account, at: now });
  });
  service.outbox.wake();
  return { accountId, sessionId, deviceToken };
}

/** When the phone was confirmed. A link by mail lets somebody register, but says nothing of the number. */
async function useCall(trx: StoreTransaction, { call: id, phone }: Applicant, now: number): Promise<number | null> {
  if (id === undefined) return null;
  const call = await useConfirmation(trx, { id, phone, now });
  if (!call) throw refuseField(register, { field: 'phone_confirmation', code: 'phone_not_confirmed' });
  return call.way === 'mail' ? null : call.confirmed_at;
}

async function redeem(trx: StoreTransaction, code: string | undefined, now: number): Promise<string | null> {
  if (code === undefined) return null;
  const used = await usePromoCode(trx, code, now);
  if (used === undefined) throw refuseField(register, { field: 'promo_code', code: 'promo_code_unknown' });
  return used;
}
