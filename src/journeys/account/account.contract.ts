import * as z from 'zod/mini';
import { accountDetails, consentGiven } from '../../contract/account.ts';
import { endpoint } from '../../contract/endpoint.ts';
import {
  locale,
  name,
  newPassword,
  password,
  passwordRepeat,
  passwordsMatch,
  phone,
} from '../../contract/fields/fields.ts';
import { profileDetails, profileFields } from '../../contract/fields/profile.ts';

/** A choice; absent leaves it unchanged. */
const choice = z.optional(z.boolean({ error: 'not_understood' }));

/** Absent fields stay unchanged; a blank organization or INN is removed. */
export const accountChanges = z.object({
  name: z.optional(name),
  ...profileFields,
  locale: z.optional(locale),
  consent_offers: choice,
  mail_new_device: choice,
});

export const changeAccount = endpoint({
  method: 'PATCH',
  path: '/account',
  summary: 'Change the details of the signed-in account',
  auth: 'bearer',
  body: accountChanges,
  status: 200,
  answer: accountDetails,
  failures: ['too_many_requests'],
});

export const passwordChange = (passwordMinLength: number) =>
  z
    .object({
      current_password: password,
      password: newPassword(passwordMinLength),
      password_repeat: passwordRepeat,
    })
    .check(passwordsMatch);

export const changePassword = endpoint({
  method: 'POST',
  path: '/account/password',
  summary: 'Change the password and end all other sessions',
  auth: 'bearer',
  sensitive: 'or_password',
  body: passwordChange,
  status: 204,
  failures: ['incorrect_password', 'too_many_attempts'],
  fieldCodes: ['password_common'],
});

/** A new phone number with the call that confirmed it, as at registration. */
export const changePhone = endpoint({
  method: 'POST',
  path: '/account/phone',
  summary: 'Change the phone number',
  auth: 'bearer',
  sensitive: true,
  body: z.object({
    phone,
    // An unreadable confirmation is always refused; a missing one may be allowed.
    phone_confirmation: z.optional(z.nullable(z.catch(z.string().check(z.maxLength(200)), 'unreadable'))),
  }),
  status: 200,
  answer: accountDetails,
  failures: ['too_many_requests'],
  fieldCodes: ['phone_invalid', 'phone_not_confirmed'],
});

const text = z.string();
/** ISO 8601, UTC. */
const time = z.string();
const timeOrNull = z.nullable(time);

/** 52,560,000 minutes, a hundred years, stand for no alarm about silence. */
const alarmRules = { silent_after_minutes: z.number(), disk_low: z.boolean(), battery_low: z.boolean() };

/** Must match `docs/account-export.schema.json`; a test compares them. */
export const exportAccount = endpoint({
  method: 'GET',
  path: '/account/export',
  summary: 'Export everything stored about the account',
  auth: 'bearer',
  sensitive: true,
  status: 200,
  answer: z.object({
    /** Version of this document; it increases when a field changes its meaning. */
    format: z.literal(1),
    exported_at: time,
    account: z.object({
      id: text,
      name: text,
      email: text,
      email_proven_at: timeOrNull,
      /** When emails to the address began to bounce; null while it receives them. */
      email_unreachable_since: timeOrNull,
      phone: text,
      phone_confirmed_at: timeOrNull,
      ...profileDetails,
      promo_code: z.nullable(text),
      locale: text,
      db_type: z.nullable(text),
      time_zone: z.nullable(text),
      last_place: z.nullable(text),
      password_changed_at: time,
      created_at: time,
      mail_new_device: z.boolean(),
      delete_at: timeOrNull,
      locked_at: timeOrNull,
    }),
    consents: z.array(consentGiven),
    sessions: z.array(
      z.object({
        created_at: time,
        last_seen_at: time,
        expires_at: time,
        ended_at: timeOrNull,
        end_reason: z.nullable(text),
        ip: text,
        user_agent: text,
      }),
    ),
    devices: z.array(
      z.object({ created_at: time, last_seen_at: time, ip: z.nullable(text), user_agent: z.nullable(text) }),
    ),
    activity: z.array(z.object({ at: time, kind: text, ip: text, user_agent: text })),
    computers: z.array(
      z.object({
        id: text,
        name: text,
        platform: text,
        version: z.nullable(text),
        created_at: time,
        last_seen_at: time,
        warnings: z.array(text),
      }),
    ),
    /** The newest 10,000 records of all computers, oldest first; `GET /computers/records` returns the rest. */
    records: z.array(z.object({ computer: text, at: time, kind: text, text })),
    notifications: z.array(z.object({ at: time, kind: text, name: text, read_at: timeOrNull })),
    /** Null: the account has the default rules. */
    alarm_rules: z.nullable(z.object({ ...alarmRules, by_email: z.boolean() })),
    /** Rules of single computers; null in a field stands for the account’s rule. */
    alarm_overrides: z.array(
      z.object({
        computer: text,
        silent_after_minutes: z.nullable(z.number()),
        disk_low: z.nullable(z.boolean()),
        battery_low: z.nullable(z.boolean()),
        muted_until: timeOrNull,
      }),
    ),
    /** Groups that operators put the account into. */
    groups: z.array(text),
    /** Applications that the account has used. */
    connected_apps: z.array(z.object({ name: text, scopes: z.array(text), connected_at: time, last_used_at: time })),
    letters: z.array(z.object({ notice: text, recipient: text, created_at: time, sent_at: timeOrNull })),
  }),
  failures: ['too_many_requests'],
});

/** The page's form: its field has its own name because another form on the page also has a password. */
export const deletion = z.object({ delete_password: password });

export const deleteAccount = endpoint({
  method: 'DELETE',
  path: '/account',
  summary: 'Delete the account after a grace period, during which a sign-in cancels the deletion',
  auth: 'bearer',
  sensitive: 'or_password',
  /** Needed unless the last sign-in or step-up is recent. */
  body: z.object({ password: z.optional(password) }),
  status: 204,
  failures: ['incorrect_password', 'too_many_attempts'],
});
