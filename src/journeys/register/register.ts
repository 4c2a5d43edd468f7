import { randomUUID } from 'node:crypto';
import { admit, type Browser, type Proof } from '../../access/admit.ts';
import { isGuessablePassword, passwordProof, provePassword } from '../../access/prove-password.ts';
import { profileIn } from '../../contract/account.ts';
import { repeatedWithin } from '../../contract/endpoint.ts';
import { Failure, refuse, refuseField, refuseFields } from '../../contract/failures.ts';
import { readPhoneIn } from '../../contract/fields/phone.ts';
import type { AdmissionResult } from '../../contract/sign-in/admission.ts';
import { isUsableAddress } from '../../outbox/domains/addresses.ts';
import { enqueueEmail } from '../../outbox/enqueue-email.ts';
import { readConfirmation, sha256, writeEmailProof } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { lockoutOfDevice } from '../../store/access/lockouts.ts';
import { type AccountsTable, addAccount, emailKey, findAccountByEmail } from '../../store/accounts/accounts.ts';
import { recordConsent } from '../../store/accounts/consents.ts';
import { isPromoCodeUsable, usePromoCode } from '../../store/accounts/promo-codes.ts';
import { useConfirmation } from '../../store/calls/phone-calls.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { type Registration, register } from './register.contract.ts';

/** A registration that may become an account once its password is hashed. */
type Applicant = Omit<Registration, 'phone_confirmation'> & {
  readonly phone: string;
  /** The id of the confirmed call, if the form has one. */
  readonly call: string | undefined;
};

/** What the database knows about a form. */
interface Lookup {
  /** The account that the same registration created moments ago. */
  readonly made: AccountsTable | undefined;
  readonly isTaken: boolean;
  readonly isUnknownCode: boolean;
}

/** Waits for its turn first: otherwise a flood of forms would use every database connection. */
const lookUp = (service: Service, form: Registration, browser: Browser): Promise<Lookup> =>
  service.lookups.run({ from: browser.visitor }, async () => {
    const { store } = service;
    const account = await findAccountByEmail(store, form.email);
    const made = account && repeatedAccount(service, { form, account });
    const { promo_code: code } = form;
    const isUnknownCode =
      !made && code !== undefined && !(await isPromoCodeUsable(store, { code, now: service.now() }));
    return { made, isTaken: account !== undefined, isUnknownCode };
  });

/**
 * Checks everything before the expensive hash: first all fields together, so that users can fix every error in one go,
 * then the address.
 */
async function checkApplicant(
  service: Service,
  form: Registration,
  { isTaken, isUnknownCode }: Lookup,
): Promise<Applicant> {
  const phone = readPhoneIn(form.phone, form.locale);
  const call = readCall(service, form.phone_confirmation);
  const wrong = [
    isGuessablePassword(service, form.password, form) && ({ field: 'password', code: 'password_common' } as const),
    !phone && ({ field: 'phone', code: 'phone_invalid' } as const),
    call === 'missing' && ({ field: 'phone_confirmation', code: 'phone_not_confirmed' } as const),
    isUnknownCode && ({ field: 'promo_code', code: 'promo_code_unknown' } as const),
  ].filter((failure) => failure !== false);
  if (!phone || call === 'missing' || wrong.length > 0) throw refuseFields(register, wrong);
  // The address of an account is usable, so this refusal can save the other check, which may ask a name server.
  if (isTaken) throw refuse(register, 'account_exists');
  if (!(await isUsableAddress(service, form.email))) throw refuse(register, 'email_cannot_be_used');
  return { ...form, phone, call: call?.id };
}

/** The confirmed call; `missing` if a confirmation is required but absent, or if we did not issue it. */
function readCall({ keyring, config }: Service, confirmation: string | null | undefined) {
  if (config.PHONE_CONFIRMATION === 'off') return undefined;
  if (!confirmation && config.PHONE_CONFIRMATION === 'optional') return undefined;
  const id = readConfirmation(keyring.phoneConfirmations, confirmation ?? '');
  return id === undefined ? 'missing' : { id };
}

type Registered = AdmissionResult & {
  /** Whether an earlier request of the same registration already created the account. */
  readonly isRepeated: boolean;
};

/** Creates the account, or finds that the same registration already created it and its response was lost. */
export async function registerOnce(service: Service, form: Registration, browser: Browser): Promise<Registered> {
  const { password } = form;
  const found = await lookUp(service, form, browser);
  if (found.made) return repeatRegistration(service, { account: found.made, password, browser });
  try {
    const applicant = await checkApplicant(service, form, found);
    const passwordHash = await service.gate.run({ from: browser.visitor }, () => service.passwords.hash(password));
    const proof = registrationProof(service, { applicant, passwordHash });
    const admitted = await admit(service, { proof, browser, isKnown: false });
    service.counters.count('registrations', 'registered');
    return { ...admitted, isRepeated: false };
  } catch (error) {
    // A parallel request of the same registration may have used the address, the call or the promo code: a transaction
    // sees that immediately, a plain query only after the commit.
    const look = (store: Store) => findMade({ ...service, store }, form);
    const account = isConflictWithFirst(error) ? await service.store.transaction().execute(look) : undefined;
    if (!account) throw error;
    return repeatRegistration(service, { account, password, browser });
  }
}

const isConflictWithFirst = (error: unknown): boolean =>
  error instanceof Failure && (error.code === 'account_exists' || error.code === 'validation_failed');

interface NewAccount {
  readonly applicant: Applicant;
  readonly passwordHash: string;
}

/** Creates the account and its consents in the transaction that admits its owner: all or nothing. */
const registrationProof = (service: Service, { applicant, passwordHash }: NewAccount): Proof => ({
  method: 'registration',
  async redeem(trx, now) {
    const phoneConfirmedAt = await useCall(trx, applicant, now);
    const promoCode = await redeemPromoCode(trx, applicant.promo_code, now);
    const account = await addAccount(trx, {
      id: randomUUID(),
      email: applicant.email,
      name: applicant.name,
      phone: applicant.phone,
      phone_confirmed_at: phoneConfirmedAt,
      ...profileIn(applicant),
      promo_code: promoCode,
      locale: applicant.locale,
      db_type: applicant.db_type ?? null,
      last_place: null,
      password_hash: passwordHash,
      password_changed_at: now,
      created_at: now,
      registration_attempt: keptRegistration(applicant),
    });
    if (!account) throw refuse(register, 'account_exists');
    await recordConsents(service, trx, { account, offers: applicant.consent_offers === true });
    const proof = writeEmailProof(service.keyring.emailProofs[0] as Buffer, {
      accountId: account.id,
      email: account.email,
    });
    await enqueueEmail(trx, { notice: 'registered', params: { proof }, account, at: now, secrets: service.secrets });
    return account;
  },
});

async function recordConsents(
  { config: { PRIVACY_URL, TERMS_URL } }: Service,
  trx: StoreTransaction,
  { account: { id, locale, created_at }, offers }: { account: AccountsTable; offers: boolean },
): Promise<void> {
  const consent = { account_id: id, locale, at: created_at };
  await recordConsent(trx, { ...consent, kind: 'personal_data', given: 1, document: PRIVACY_URL });
  if (TERMS_URL) await recordConsent(trx, { ...consent, kind: 'terms', given: 1, document: TERMS_URL });
  await recordConsent(trx, { ...consent, kind: 'offers', given: offers ? 1 : 0 });
}

/** When the phone was confirmed. Confirmation by email permits the registration but proves nothing about the number. */
async function useCall(trx: StoreTransaction, { call: id, phone }: Applicant, now: number): Promise<number | null> {
  if (id === undefined) return null;
  const call = await useConfirmation(trx, { id, phone, now });
  if (!call) throw refuseField(register, { field: 'phone_confirmation', code: 'phone_not_confirmed' });
  return call.way === 'mail' ? null : call.confirmed_at;
}

async function redeemPromoCode(trx: StoreTransaction, code: string | undefined, now: number): Promise<string | null> {
  if (code === undefined) return null;
  const used = await usePromoCode(trx, code, now);
  if (used === undefined) throw refuseField(register, { field: 'promo_code', code: 'promo_code_unknown' });
  return used;
}

/** Hash that recognizes a repeated registration; useless to readers of the table. Null if the form has no attempt. */
const keptRegistration = ({ attempt, ...form }: Omit<Registration, 'phone_confirmation'>): string | null =>
  attempt === undefined
    ? null
    : sha256(
        JSON.stringify([
          attempt,
          emailKey(form.email),
          readPhoneIn(form.phone, form.locale) ?? form.phone,
          form.name,
          ...Object.values(profileIn(form)),
          form.promo_code,
          form.consent_offers === true,
        ]),
      );

/** The account that the same registration created moments ago, if any: its response may have been lost. */
async function findMade(
  service: Pick<Service, 'store' | 'now'>,
  form: Registration,
): Promise<AccountsTable | undefined> {
  const account = form.attempt === undefined ? undefined : await findAccountByEmail(service.store, form.email);
  return account && repeatedAccount(service, { form, account });
}

/** The account with the address of a form, if the same registration created it moments ago. */
function repeatedAccount(
  { now }: Pick<Service, 'now'>,
  { form, account }: { form: Registration; account: AccountsTable },
): AccountsTable | undefined {
  if (account.created_at <= now() - repeatedWithin || account.delete_at !== null) return undefined;
  const kept = keptRegistration(form);
  return kept !== null && account.registration_attempt === kept ? account : undefined;
}

/**
 * Signs in a browser that repeats the registration that created the account. It proves the password as at sign-in, so
 * that a copied idempotency key is useless. Refuses with `account_exists`.
 */
async function repeatRegistration(
  service: Service,
  { account, password, browser }: { account: AccountsTable; password: string; browser: Browser },
): Promise<AdmissionResult & { readonly isRepeated: true }> {
  const refusal = () => refuse(register, 'account_exists');
  // The idempotency key is known only to the browser that registered, so it gets its own lockout, like a known device.
  const lockout = lockoutOfDevice(account.id, account.registration_attempt ?? '');
  const guess = { from: browser.visitor, account, password, lockout, isKnown: false };
  const verdict = await provePassword(service, guess, (proven) => {
    const proof = passwordProof({ method: 'repeated_registration', account: proven, lockout, refusal });
    return admit(service, { proof, browser, isKnown: false });
  });
  if (verdict.state !== 'proven') throw refusal();
  return { ...verdict.result, isRepeated: true };
}
