import { randomUUID } from 'node:crypto';
import type { BodyRead } from '../../contract/endpoint.ts';
import { Failure } from '../../contract/failures.ts';
import { readPhoneIn } from '../../contract/fields/phone.ts';
import { refuse, refuseField, refuseFields } from '../../contract/refuse.ts';
import { isUsableAddress } from '../../outbox/domains/usable-address.ts';
import { post } from '../../outbox/post.ts';
import { isGuessable } from '../../security/common-passwords.ts';
import { writeEmailProof } from '../../security/email-proofs.ts';
import { readConfirmation } from '../../security/phone-confirmations.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { beginSession } from '../../store/access/begin-session.ts';
import { addAccount, findAccountByEmail } from '../../store/accounts/accounts.ts';
import { recordConsent } from '../../store/accounts/consents.ts';
import { isPromoCodeUsable, usePromoCode } from '../../store/accounts/promo-codes.ts';
import { useConfirmation } from '../../store/calls/phone-calls.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';
import { register } from './register.contract.ts';
import { findMade, keptRegistration, repeatRegistration } from './repeat-registration.ts';

export type Registration = BodyRead<typeof register>;

/** A registration that may become an account once its password is hashed. */
type Applicant = Omit<Registration, 'phone_confirmation'> & {
  readonly phone: string;
  /** The confirmed call, where one was sent along. */
  readonly call: string | undefined;
};

/**
 * Everything that can be refused before the expensive part: all that is wrong with the fields at once, so that nobody mends one
 * after the other, then the address.
 */
async function examine(service: Service, form: Registration): Promise<Applicant> {
  const { store, config } = service;
  const phone = readPhoneIn(form.phone, form.locale);
  const ownWords = [form.email, form.email.split('@', 1)[0] as string, form.name, config.PRODUCT_NAME];
  const call = readCall(service, form.phone_confirmation);
  const promo = form.promo_code;
  const unknownCode = promo !== undefined && !(await isPromoCodeUsable(store, { code: promo, now: service.now() }));
  const wrong = [
    isGuessable(form.password, ownWords) && ({ field: 'password', code: 'password_common' } as const),
    !phone && ({ field: 'phone', code: 'phone_invalid' } as const),
    call === 'missing' && ({ field: 'phone_confirmation', code: 'phone_not_confirmed' } as const),
    unknownCode && ({ field: 'promo_code', code: 'promo_code_unknown' } as const),
  ].filter((failure) => failure !== false);
  if (!phone || call === 'missing' || wrong.length > 0) throw refuseFields(register, wrong);
  if (!(await isUsableAddress(service, form.email))) throw refuse(register, 'email_cannot_be_used');
  if (await findAccountByEmail(store, form.email)) throw refuse(register, 'account_exists');
  return { ...form, phone, call: call?.id };
}

/** The call that a confirmation is of; `missing` when there has to be one, or when it is not of our making. */
function readCall({ keyring, config }: Service, confirmation: string | null | undefined) {
  if (config.PHONE_CONFIRMATION === 'off') return undefined;
  if (!confirmation && config.PHONE_CONFIRMATION === 'optional') return undefined;
  const id = readConfirmation(keyring.phone, confirmation ?? '');
  return id === undefined ? 'missing' : { id };
}

export interface Registered {
  readonly accountId: string;
  readonly sessionId: string;
  readonly deviceToken: string;
  /** Whether the account was there before, made by the same registration. */
  readonly isRepeated: boolean;
}

/** Makes the account, or finds that this very registration has made it already, because its answer was lost. */
export async function admitOnce(service: Service, form: Registration, visitor: Visitor): Promise<Registered> {
  const { password } = form;
  const made = await findMade(service, form);
  if (made) return repeatRegistration(service, { account: made, password, visitor });
  try {
    const applicant = await examine(service, form);
    const place = { from: visitor, lane: 'usual' } as const;
    const passwordHash = await service.gate.run(place, () => service.passwords.hash(password));
    return await admit(service, { applicant, passwordHash, visitor });
  } catch (error) {
    // The address, the call or the promo code may have been used up meanwhile by the very same: a transaction sees it at once,
    // a mere look only when it is committed.
    const look = (store: Store) => findMade({ ...service, store }, form);
    const account = isOfFirst(error) ? await service.store.transaction().execute(look) : undefined;
    if (!account) throw error;
    return repeatRegistration(service, { account, password, visitor });
  }
}

const isOfFirst = (error: unknown): boolean =>
  error instanceof Failure && (error.code === 'account_exists' || error.code === 'validation_failed');

interface Admission {
  readonly applicant: Applicant;
  readonly passwordHash: string;
  readonly visitor: Visitor;
}

/** Makes the account, its consents and its first session in one transaction, or nothing at all. */
async function admit(service: Service, admission: Admission): Promise<Registered> {
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
      registration_attempt: keptRegistration(applicant),
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
  return { accountId, sessionId, deviceToken, isRepeated: false };
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
