import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import { phoneDigits } from '../../contract/field-sizes.ts';
import { apiUrl, defineCallProvider, text } from '../define-provider.ts';
import type { CallPlacement, Delivery, WrittenCall } from '../provider.ts';
import { form, type ProviderResponse, parseResponse } from '../requests/provider-request.ts';
import { askTwilio, called } from './twilio-api.ts';
import { hangUpOnRinging } from './twilio-hang-up.ts';
import { hangUpWhenAnswered, speakDigits, spokenLanguages } from './twilio-speech.ts';

const account = z.object({ balance: z.string(), currency: z.string() });

/** Seconds that a phone may ring if our hang-up fails; Twilio may add five of its own. */
const ringsAtMost = '20';
const ringsForSpeech = '30';

const codeOf = (number: string): string => number.slice(-phoneDigits);

/**
 * The account's numbers, separated by commas. Numbers with the same last digits would make the code easier to guess.
 */
const numbers = z.pipe(
  z.pipe(
    text,
    z.transform((list) => list.split(',').map((number) => number.trim())),
  ),
  z
    .array(z.string().check(z.regex(/^\+[1-9]\d{6,14}$/, 'must be numbers like +13035550123, separated by commas')))
    .check(
      z.minLength(2, 'must contain at least two numbers'),
      z.refine(
        (list) => new Set(list.map(codeOf)).size === list.length,
        'must be numbers whose last four digits differ',
      ),
    ),
);

/** A number, a name, or the SID of a messaging service. */
const smsSender = z
  .string()
  .check(
    z.regex(
      /^(\+[1-9]\d{6,14}|MG[\da-f]{32}|[\w ]{1,11})$/i,
      'must be a number like +13035550123, a name or an MG… SID',
    ),
  );
const written = z.object({ sid: z.string().check(z.regex(/^[SM]M[\da-f]{32}$/i)) });

const standing = z.object({ status: z.string() });
/**
 * By the status of a message (https://www.twilio.com/docs/messaging/api/message-resource#message-status-values) or a
 * call (https://www.twilio.com/docs/voice/api/call-resource#call-status-values); any other is under way.
 */
const deliveries: Readonly<Record<string, Delivery>> = {
  delivered: 'delivered',
  read: 'delivered',
  completed: 'delivered',
  undelivered: 'lost',
  failed: 'lost',
  busy: 'lost',
  'no-answer': 'lost',
};

/** With fewer numbers than this, three guesses by someone who knows them succeed too often. */
const fewNumbers = 300;

/**
 * Twilio has no flash calls: we call from one of the operator's numbers, chosen at random, whose last four digits are
 * the code, and cancel the call once it rings (https://www.twilio.com/docs/voice/api/call-resource). If the user
 * answers before that, the call's TwiML hangs up. Calls have no idempotency key. With a sender, it also sends text
 * messages (https://www.twilio.com/docs/messaging/api/message-resource).
 */
export const twilio = defineCallProvider({
  name: 'twilio',
  needed: { TWILIO_ACCOUNT_SID: text, TWILIO_AUTH_TOKEN: text, TWILIO_NUMBERS: numbers },
  other: { TWILIO_SMS_FROM: z.optional(smsSender), TWILIO_URL: z._default(apiUrl, 'https://api.twilio.com') },
  open({ TWILIO_ACCOUNT_SID: sid, TWILIO_AUTH_TOKEN: token, TWILIO_NUMBERS: pool, TWILIO_SMS_FROM: sender, ...other }) {
    const { TWILIO_URL: base } = other;
    const askAccount = askTwilio({ base, sid, token });
    const anyNumber = () => pool[randomInt(pool.length)] as string;
    const call = (fields: Record<string, string>, signal: AbortSignal): Promise<ProviderResponse> =>
      askAccount({ method: 'POST', path: '/Calls.json', body: form(fields), signal });
    const text = async (
      { phone, message = '', sender: registered }: WrittenCall,
      signal: AbortSignal,
    ): Promise<CallPlacement> => {
      const chosen = registered ?? sender ?? '';
      const from = /^MG[\da-f]{32}$/i.test(chosen) ? { MessagingServiceSid: chosen } : { From: chosen };
      const body = form({ To: phone, Body: message, ...from });
      const response = await askAccount({ method: 'POST', path: '/Messages.json', body, signal });
      return { kind: 'ours', reference: parseResponse(written, response).sid };
    };
    return {
      ...(sender !== undefined && { text }),
      async place({ phone }, signal) {
        const from = anyNumber();
        const fields = { To: phone, From: from, Timeout: ringsAtMost, Twiml: hangUpWhenAnswered };
        const { sid: callSid } = parseResponse(called, await call(fields, signal));
        hangUpOnRinging(askAccount, callSid);
        return { kind: 'theirs', code: codeOf(from) };
      },
      spokenLanguages,
      async speak({ phone, code, locale, introduction }, signal) {
        const twiml = speakDigits({ code, locale, introduction });
        const fields = { To: phone, From: anyNumber(), Timeout: ringsForSpeech, TimeLimit: '90', Twiml: twiml };
        return { kind: 'ours', reference: parseResponse(called, await call(fields, signal)).sid };
      },
      async delivery({ reference }, signal) {
        const path = `/${reference.startsWith('CA') ? 'Calls' : 'Messages'}/${encodeURIComponent(reference)}.json`;
        const { status } = parseResponse(standing, await askAccount({ method: 'GET', path, signal }));
        return deliveries[status] ?? 'under way';
      },
      async examine(signal) {
        const { balance, currency } = parseResponse(
          account,
          await askAccount({ method: 'GET', path: '/Balance.json', signal }),
        );
        return {
          balance: `${balance} ${currency}`,
          warning:
            pool.length < fewNumbers
              ? `someone who knows the ${pool.length} numbers can confirm another person’s phone with three guesses, with a chance of 3 in ${pool.length}`
              : undefined,
        };
      },
    };
  },
});
