import * as z from 'zod/mini';
import { accountDetails, profileFields } from '../../contract/account.ts';
import { endpoint } from '../../contract/endpoint.ts';
import {
  currentPassword,
  locale,
  name,
  newPassword,
  password,
  passwordRepeat,
  passwordsMatch,
  phone,
  timeZone,
} from '../../contract/fields/fields.ts';

/** A choice; absent leaves it unchanged. */
const choice = z.optional(z.boolean({ error: 'not_understood' }));

/** Absent fields stay unchanged; a blank organization or INN is removed. */
export const accountChanges = z.object({
  name: z.optional(name),
  ...profileFields,
  locale: z.optional(locale),
  time_zone: z.optional(timeZone),
  consent_offers: choice,
  mail_new_device: choice,
});

export const changeAccount = endpoint({
  route: 'PATCH /account',
  summary: 'Change the details of the signed-in account',
  auth: 'bearer',
  body: accountChanges,
  response: accountDetails,
  failures: ['too_many_requests'],
});

const passwordTwice = (minLength: number) => ({ password: newPassword(minLength), password_repeat: passwordRepeat });

/** The page's form; `provesFirst`: the owner proves who they are by a step-up. */
export const passwordChange = (minLength: number, provesFirst: boolean) =>
  z.object({ current_password: currentPassword(provesFirst), ...passwordTwice(minLength) }).check(passwordsMatch);

export const changePassword = endpoint({
  route: 'POST /account/password',
  summary: 'Change the password and end all other sessions',
  auth: 'bearer',
  sensitive: 'or_password',
  /** The current password is needed unless the account has a second step, or no password. */
  body: (minLength: number) =>
    z.object({ current_password: z.optional(password), ...passwordTwice(minLength) }).check(passwordsMatch),
  failures: ['incorrect_password', 'too_many_attempts'],
  fieldCodes: ['password_common', 'password_required'],
});

/** A new phone number with the call that confirmed it, as at registration. */
export const changePhone = endpoint({
  route: 'POST /account/phone',
  summary: 'Change the phone number',
  auth: 'bearer',
  sensitive: true,
  body: z.object({
    phone,
    // An unreadable confirmation is always refused; a missing one may be allowed.
    phone_confirmation: z.optional(z.nullable(z.catch(z.string().check(z.maxLength(200)), 'unreadable'))),
  }),
  response: accountDetails,
  failures: ['too_many_requests'],
  fieldCodes: ['phone_invalid', 'phone_not_confirmed'],
});

/** The page's form: its field has its own name because another form on the page also has a password. */
export const deletion = (provesFirst: boolean) => z.object({ delete_password: currentPassword(provesFirst) });

export const deleteAccount = endpoint({
  route: 'DELETE /account',
  summary: 'Delete the account after a grace period, during which a sign-in cancels the deletion',
  auth: 'bearer',
  sensitive: 'or_password',
  /** Needed unless the last sign-in or step-up is recent. */
  body: z.object({ password: z.optional(password) }),
  failures: ['incorrect_password', 'too_many_attempts', 'last_owner'],
});
