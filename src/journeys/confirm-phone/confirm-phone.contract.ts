import * as z from 'zod/mini';
import { callWays, confirmationWays } from '../../contract/call-ways.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { phoneDigits, sentDigits } from '../../contract/field-sizes.ts';
import {
  callDigits,
  digitsThatCount,
  email,
  locale,
  misfitOf,
  phone,
  readDigits,
} from '../../contract/fields/fields.ts';
import { idempotencyKey } from '../../contract/idempotency-key.ts';

/** A call's identifier is a secret of the browser that asked for it. */
const call = z.catch(z.string().check(z.regex(/^[\w-]{22}$/)), '');

/** What a browser needs to wait for a call; durations in seconds. */
export const callPlaced = z.object({
  call: z.string(),
  /** As many as are to be typed: the last ones of a calling number, or all of a message. */
  digits: z.literal([phoneDigits, sentDigits]),
  expires_in: z.number(),
  resend_in: z.number(),
  attempts_left: z.number(),
  /** E.164: what the person is to call, where it is they who call. */
  number: z.optional(z.string()),
  /** In which ways the same number can be confirmed besides. */
  ways: z.optional(z.array(z.enum(confirmationWays))),
});

/** Has a number called, or sends it the digits, or tells whom its owner is to call. */
export const requestCall = endpoint({
  method: 'POST',
  path: '/auth/phone/call',
  summary: 'Have a phone number called',
  body: z.object({
    phone,
    locale,
    way: z._default(z.enum(callWays, { error: 'not_understood' }), 'ring'),
    /** Of whoever wants to register: no call is worth making for an address that cannot be used. */
    email: z.optional(email),
    attempt: idempotencyKey,
  }),
  status: 201,
  answer: callPlaced,
  failures: [
    'phone_invalid',
    'account_exists',
    'number_in_use',
    'email_cannot_be_used',
    'too_many_requests',
    'too_many_calls',
    'call_failed',
  ],
});

export const callStates = ['calling', 'placed', 'failed', 'confirmed', 'expired'] as const;

/** What has become of a call; once it is confirmed also what the registration is to send along, for a page that was left meanwhile. */
export const readCall = endpoint({
  method: 'GET',
  path: '/auth/phone/call/:call',
  summary: 'Tell how a call went',
  params: z.object({ call }),
  status: 200,
  answer: z.object({
    state: z.enum(callStates),
    phone_confirmation: z.optional(z.string()),
    phone: z.optional(z.string()),
  }),
  failures: ['not_found'],
});

const confirmation = z.object({ phone_confirmation: z.string(), phone: z.string() });

export const confirmDigits = endpoint({
  method: 'POST',
  path: '/auth/phone/confirm',
  summary: 'Confirm a phone number by the digits of its call',
  body: z.object({ call, digits: callDigits }),
  status: 200,
  answer: confirmation,
  failures: ['digits_incorrect', 'call_expired', 'call_failed'],
  fieldCodes: ['digits_four', 'code_six'],
});

/** What is wrong with digits that fit none of the calls that have so many; undefined where one fits, or where they are no digits. */
export function misfitAmong(typed: string, [first = phoneDigits, ...others]: readonly number[]) {
  const { code, digits } = readDigits(typed);
  if (code !== undefined && code !== 'digits_four') return undefined;
  const fits = [first, ...others].some((length) => digitsThatCount(digits, length) !== undefined);
  return fits ? undefined : misfitOf(first);
}

/** For people who cannot take a call, where the operator allows it: a link by mail instead. */
export const requestMail = endpoint({
  method: 'POST',
  path: '/auth/phone/mail',
  summary: 'Have a link sent by mail in place of a call',
  body: z.object({ phone, email, locale, attempt: idempotencyKey }),
  status: 201,
  answer: callPlaced,
  failures: ['phone_invalid', 'too_many_mails'],
});

const secret = z.catch(z.optional(z.string()), undefined);

/** Used by the form behind the mail's link: opening the link changes nothing. */
export const confirmMail = endpoint({
  method: 'POST',
  path: '/auth/phone/mail/confirm',
  summary: 'Use such a link',
  /** A page of an earlier version sends the secret as `hash`. */
  body: z.object({ call, secret, hash: secret }),
  status: 200,
  answer: confirmation,
  failures: ['confirmation_link_expired'],
});
