import { type Admitted, admit, type Browser } from '../../access/admit.ts';
import { passwordProof } from '../../access/password-proof.ts';
import { provePassword } from '../../access/prove-password.ts';
import { minutes } from '../../contract/durations.ts';
import { readPhoneIn } from '../../contract/fields/phone.ts';
import { refuse } from '../../contract/refuse.ts';
import { sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/service.ts';
import { deviceLock } from '../../store/access/lockouts.ts';
import { type AccountsTable, findAccountByEmail } from '../../store/accounts/accounts.ts';
import { emailKey } from '../../store/accounts/email-key.ts';
import { type Registration, register } from './register.contract.ts';

/** How long somebody whose answer was lost may try again; later they sign in. */
const repeatedWithin = minutes(10);

/** How a registration is kept for whoever sends the very same again: of no use to a reader of the table. Null where the page sends no attempt. */
export const keptRegistration = ({ attempt, ...form }: Omit<Registration, 'phone_confirmation'>): string | null =>
  attempt === undefined
    ? null
    : sha256(
        JSON.stringify([
          attempt,
          emailKey(form.email),
          readPhoneIn(form.phone, form.locale) ?? form.phone,
          form.name,
          form.organization,
          form.inn,
          form.promo_code,
          form.consent_offers === true,
        ]),
      );

/** The account that this very registration made a moment ago, if it did: its answer may have been lost. */
export async function findMade(
  { store, now }: Pick<Service, 'store' | 'now'>,
  form: Registration,
): Promise<AccountsTable | undefined> {
  const kept = keptRegistration(form);
  if (kept === null) return undefined;
  const account = await findAccountByEmail(store, form.email);
  const isMade = account?.registration_attempt === kept && account.created_at > now() - repeatedWithin;
  return isMade && account.locked_at === null && account.delete_at === null ? account : undefined;
}

interface RepeatedRegistration {
  readonly account: AccountsTable;
  readonly password: string;
  readonly browser: Browser;
}

/**
 * Signs in a browser that sends the registration again which made the account. Its password is proven as at sign-in: a
 * copied idempotency key opens nothing. Refuses with `account_exists`.
 */
export async function repeatRegistration(
  service: Service,
  { account, password, browser }: RepeatedRegistration,
): Promise<Admitted & { readonly isRepeated: true }> {
  const refusal = () => refuse(register, 'account_exists');
  // Whoever has the idempotency key is the browser that registered, or as good as that: its lockout is like a device's.
  const lockout = deviceLock(account.id, account.registration_attempt ?? '');
  const guess = { from: browser.visitor, account, password, lockout, isKnown: false };
  const verdict = await provePassword(service, guess, (proven) => {
    const proof = passwordProof({ method: 'repeated_registration', account: proven, lockout, refusal });
    return admit(service, { proof, browser, isKnown: false });
  });
  if (verdict.state !== 'proven') throw refusal();
  return { ...verdict.result, isRepeated: true };
}
