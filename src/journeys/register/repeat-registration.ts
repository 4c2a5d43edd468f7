import type { Browser } from '../../access/admission.ts';
import { admit } from '../../access/admit.ts';
import { passwordProof } from '../../access/password-proof.ts';
import { provePassword } from '../../access/prove-password.ts';
import { readPhoneIn } from '../../contract/fields/phone.ts';
import { repeatedWithin } from '../../contract/idempotency-key.ts';
import { refuse } from '../../contract/refuse.ts';
import type { AdmissionResult } from '../../contract/sign-in/authentication.ts';
import { sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/service.ts';
import { lockoutOfDevice } from '../../store/access/lockouts.ts';
import { type AccountsTable, findAccountByEmail } from '../../store/accounts/accounts.ts';
import { emailKey } from '../../store/accounts/email-key.ts';
import { type Registration, register } from './register.contract.ts';

/** Hash that recognizes a repeated registration; useless to readers of the table. Null if the form has no attempt. */
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

/** The account that the same registration created moments ago, if any: its response may have been lost. */
export async function findMade(
  service: Pick<Service, 'store' | 'now'>,
  form: Registration,
): Promise<AccountsTable | undefined> {
  const account = form.attempt === undefined ? undefined : await findAccountByEmail(service.store, form.email);
  return account && repeatedAccount(service, { form, account });
}

/** The account with the address of a form, if the same registration created it moments ago. */
export function repeatedAccount(
  { now }: Pick<Service, 'now'>,
  { form, account }: { form: Registration; account: AccountsTable },
): AccountsTable | undefined {
  if (account.created_at <= now() - repeatedWithin || account.locked_at !== null || account.delete_at !== null)
    return undefined;
  const kept = keptRegistration(form);
  return kept !== null && account.registration_attempt === kept ? account : undefined;
}

/**
 * Signs in a browser that repeats the registration that created the account. It proves the password as at sign-in, so
 * that a copied idempotency key is useless. Refuses with `account_exists`.
 */
export async function repeatRegistration(
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
