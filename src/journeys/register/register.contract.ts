import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import {
  accessGranted,
  consent,
  dbType,
  email,
  inn,
  locale,
  name,
  newPassword,
  organization,
  passwordRepeat,
  passwordsMatch,
  phone,
  promoCode,
  requiredConsent,
} from '../../contract/fields.ts';

/** The registration form; the phone's own rules are `readPhone`'s, whose library is loaded only where it is needed. */
export const registration = (passwordMinLength: number) =>
  z
    .object({
      name,
      email,
      phone,
      organization,
      inn,
      promo_code: promoCode,
      password: newPassword(passwordMinLength),
      password_repeat: passwordRepeat,
      consent_personal_data: requiredConsent,
      consent_offers: consent,
      phone_confirmation: z.optional(z.nullable(z.catch(z.string().check(z.maxLength(200)), ''))),
      db_type: dbType,
      locale,
    })
    .check(passwordsMatch);

export const register = (passwordMinLength: number) =>
  endpoint({
    method: 'POST',
    path: '/auth/register',
    body: registration(passwordMinLength),
    status: 201,
    answer: accessGranted,
    failures: [
      'csrf_failed',
      'validation_failed',
      'account_exists',
      'email_cannot_be_used',
      'too_many_requests',
      'try_again_later',
    ],
  });
