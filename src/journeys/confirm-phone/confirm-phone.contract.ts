import * as z from 'zod/mini';
import { callWays, confirmationWays } from '../../contract/call-ways.ts';
import { endpoint, idempotencyKey, named } from '../../contract/endpoint.ts';
import { phoneDigits, sentDigits } from '../../contract/fields/field-sizes.ts';
import {
  callDigits,
  digitsThatCount,
  email,
  locale,
  misfitOf,
  phone,
  readDigits,
} from '../../contract/fields/fields.ts';

/** A call's identifier is a secret of the browser that requested the call. */
const call = z.catch(z.string().check(z.regex(/^[\w-]{22}$/)), '');

/** The data that a browser needs to wait for a call; durations in seconds. */
export const callPlaced = named(
  'Call',
  z.object({
    call: z.string(),
    digits: z.literal([phoneDigits, sentDigits]),
    expires_in: z.number(),
    resend_in: z.number(),
    attempts_left: z.number(),
    number: z.optional(z.string()),
    /** Other ways to confirm the same number. */
    ways: z.optional(z.array(z.enum(confirmationWays))),
  }),
);

/** Places a call, sends the digits in a message, or names a number for the user to call. */
export const requestCall = endpoint({
  route: 'POST /auth/phone/call',
  summary: 'Call a phone number',
  body: z.object({
    phone,
    locale,
    way: z._default(z.enum(callWays, { error: 'not_understood' }), 'ring'),
    /** Sent when registering: no call is placed for an address that cannot be registered. */
    email: z.optional(email),
    attempt: idempotencyKey,
  }),
  status: 201,
  response: callPlaced,
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

/**
 * Status of a call. A confirmed call includes the confirmation for the registration, in case the page was left
 * meanwhile.
 */
export const readCall = endpoint({
  route: 'GET /auth/phone/call/:call',
  summary: 'Read the status of a call',
  params: z.object({ call }),
  response: z.object({
    state: z.enum(callStates),
    phone_confirmation: z.optional(z.string()),
    phone: z.optional(z.string()),
  }),
  failures: ['not_found'],
});

const confirmation = named('PhoneConfirmation', z.object({ phone_confirmation: z.string(), phone: z.string() }));

export const confirmDigits = endpoint({
  route: 'POST /auth/phone/confirm',
  summary: 'Confirm a phone number with the digits of a call',
  body: z.object({ call, digits: callDigits }),
  response: confirmation,
  failures: ['digits_incorrect', 'call_expired', 'call_failed'],
  fieldCodes: ['digits_four', 'code_six'],
});

/** Error code if no pending call has this many digits; undefined if one has, or if the input is not digits. */
export function misfitAmong(typed: string, [first = phoneDigits, ...others]: readonly number[]) {
  const { code, digits } = readDigits(typed);
  if (code !== undefined && code !== 'digits_four') return undefined;
  const fits = [first, ...others].some((length) => digitsThatCount(digits, length) !== undefined);
  return fits ? undefined : misfitOf(first);
}

/** An emailed link for users who cannot take a call, if the operator allows it. */
export const requestMail = endpoint({
  route: 'POST /auth/phone/mail',
  summary: 'Send a confirmation link by email instead of a call',
  body: z.object({ phone, email, locale, attempt: idempotencyKey }),
  status: 201,
  response: callPlaced,
  failures: ['phone_invalid', 'too_many_mails'],
});

/** Sent by the page of the emailed link; opening the link changes nothing. */
export const confirmMail = endpoint({
  route: 'POST /auth/phone/mail/confirm',
  summary: 'Confirm with the link of an email',
  body: z.object({ call, secret: z.catch(z.optional(z.string()), undefined) }),
  response: confirmation,
  failures: ['confirmation_link_expired'],
});
