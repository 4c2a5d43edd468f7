import * as z from 'zod/mini';
import { profileFields } from '../../contract/account.ts';
import { type BodyRead, endpoint, idempotencyKey } from '../../contract/endpoint.ts';
import {
  consent,
  dbType,
  email,
  locale,
  name,
  newPassword,
  passwordRepeat,
  passwordsMatch,
  phone,
  promoCode,
  requiredConsent,
} from '../../contract/fields/fields.ts';
import { accessGranted } from '../../contract/sign-in/admission.ts';

/** The registration form. `readPhone` checks the phone number; its library loads only where it is needed. */
export const registration = (passwordMinLength: number) =>
  z
    .object({
      name,
      email,
      phone,
      ...profileFields,
      promo_code: promoCode,
      password: newPassword(passwordMinLength),
      password_repeat: passwordRepeat,
      consent_personal_data: requiredConsent,
      consent_offers: consent,
      // An unreadable confirmation is always refused; a missing one may be allowed.
      phone_confirmation: z.optional(z.nullable(z.catch(z.string().check(z.maxLength(200)), 'unreadable'))),
      attempt: idempotencyKey,
      db_type: dbType,
      locale,
    })
    .check(passwordsMatch);

export const register = endpoint({
  route: 'POST /auth/register',
  provesWork: true,
  summary: 'Create an account and sign in',
  body: registration,
  status: 201,
  response: accessGranted,
  // The second step only for a repeated registration whose account has got one since.
  failures: ['account_exists', 'email_cannot_be_used', 'second_step_required', 'too_many_requests'],
  fieldCodes: ['phone_invalid', 'phone_not_confirmed', 'password_common', 'promo_code_unknown'],
});

export type Registration = BodyRead<typeof register>;
