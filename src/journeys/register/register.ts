import { randomUUID } from 'node:crypto';
import type { BodyRead } from '../../contract/endpoint.ts';
import { Failure, refuseField } from '../../contract/failures.ts';
import { readPhoneIn } from '../../contract/phone.ts';
import { isGuessable } from '../../security/common-passwords.ts';
import type { Passwords } from '../../security/passwords.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import { addAccount, findAccountByEmail } from '../../store/accounts.ts';
import { beginSession } from '../../store/begin-session.ts';
import { recordConsent } from '../../store/consents.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { usePromoCode } from '../../store/promo-codes.ts';
import type { register } from './register.contract.ts';

export type Registration = BodyRead<ReturnType<typeof register>>;

export interface RegisterDeps {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly settings: {
    readonly PRODUCT_NAME: string;
    readonly MAIL_FROM: string;
    readonly SUPPORT_EMAIL?: string | undefined;
    readonly EMAIL_BLOCKLIST: readonly string[];
  };
  now(): number;
}

/** A registration that may become an account once its password is hashed. */
export type Applicant = Registration & { readonly phone: string };

/** Everything that can be refused before the expensive part: the phone, the password's quality, the address. */
export async function examine(deps: RegisterDeps, form: Registration): Promise<Applicant> {
  const phone = readPhoneIn(form.phone, form.locale);
  if (!phone) throw refuseField('phone', 'phone_invalid');
  const ownWords = [form.email, form.email.split('@', 1)[0] as string, form.name, deps.settings.PRODUCT_NAME];
  if (isGuessable(form.password, ownWords)) throw refuseField('password', 'password_common');
  if (isUnusable(deps.settings, form.email)) throw new Failure('email_cannot_be_used');
  if (await findAccountByEmail(deps.store, form.email)) throw new Failure('account_exists');
  return { ...form, phone };
}

/** The service's own addresses, what the operator blocks, and names that no mail can reach (RFC 6761, section 6.4). */
function isUnusable(settings: RegisterDeps['settings'], email: string): boolean {
  const address = email.toLowerCase();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (domain.endsWith('.invalid')) return true;
  const blocked = [settings.MAIL_FROM, settings.SUPPORT_EMAIL ?? '', ...settings.EMAIL_BLOCKLIST].map((item) =>
    item.toLowerCase(),
  );
  return blocked.some((item) => item === address || item === domain || item === `@${domain}`);
}

export interface Registered {
  readonly accountId: string;
  readonly sessionId: string;
  readonly deviceToken: string;
}

interface Admission {
  readonly applicant: Applicant;
  readonly passwordHash: string;
  readonly deviceToken: string | undefined;
  readonly visitor: { readonly ip: string; readonly userAgent: string };
}

/** Makes the account, its consents and its first session in one transaction, or nothing at all. */
export async function admit(deps: RegisterDeps, admission: Admission): Promise<Registered> {
  const { applicant, visitor } = admission;
  const now = deps.now();
  const accountId = randomUUID();
  const sessionId = randomSecret(128);
  const deviceToken = admission.deviceToken ?? randomSecret(256);
  await deps.store.transaction().execute(async (trx) => {
    const promoCode = await redeem(trx, applicant.promo_code, now);
    const added = await addAccount(trx, {
      id: accountId,
      email: applicant.email,
      name: applicant.name,
      phone: applicant.phone,
      phone_confirmed_at: null,
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
    if (!added) throw new Failure('account_exists');
    const consent = { account_id: accountId, locale: applicant.locale, at: now };
    await recordConsent(trx, { ...consent, kind: 'personal_data', given: 1 });
    await recordConsent(trx, { ...consent, kind: 'offers', given: applicant.consent_offers ? 1 : 0 });
    await beginSession(trx, {
      sessionId,
      accountId,
      deviceHash: sha256(deviceToken),
      visitor,
      kind: 'registered',
      now,
    });
  });
  return { accountId, sessionId, deviceToken };
}

async function redeem(trx: StoreTransaction, code: string | undefined, now: number): Promise<string | null> {
  if (code === undefined) return null;
  const used = await usePromoCode(trx, code, now);
  if (used === undefined) throw refuseField('promo_code', 'promo_code_unknown');
  return used;
}
