import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { phoneDigits } from '../../contract/fields/field-sizes.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { listOf, textLike } from '../../contract/settings.ts';
import { seconds } from '../../contract/units.ts';
import {
  apiUrl,
  type CallPlacement,
  type Delivery,
  defineCallProvider,
  type QuestionCall,
  type RefusalReason,
  text,
  type WrittenCall,
} from '../provider.ts';
import {
  form,
  type ProviderRequest,
  type ProviderResponse,
  parseResponse,
  reasonOfStatus,
  refusedWith,
  requestProvider,
  writtenInteger,
} from '../provider-request.ts';

const account = z.object({ balance: z.string(), currency: z.string() });

/** Seconds that a phone may ring if our hang-up fails; Twilio may add five of its own. */
const ringsAtMost = '20';
const ringsForSpeech = '30';

const codeOf = (number: string): string => number.slice(-phoneDigits);

/**
 * The account's numbers, separated by commas. Numbers with the same last digits would make the code easier to guess.
 */
const numbers = listOf(textLike(/^\+[1-9]\d{6,14}$/, 'must be numbers like +13035550123, separated by commas')).check(
  z.minLength(2, 'must contain at least two numbers'),
  z.refine((list) => new Set(list.map(codeOf)).size === list.length, 'must be numbers whose last four digits differ'),
);

/** A number, a name, or the SID of a messaging service. */
const smsSender = textLike(
  /^(\+[1-9]\d{6,14}|MG[\da-f]{32}|[\w ]{1,11})$/i,
  'must be a number like +13035550123, a name or an MG… SID',
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
      ...(sender !== undefined && { text, sendsOwnWords: true as const }),
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
      async ask({ phone, locale, words, answerUrl }, signal) {
        const twiml = speakQuestion({ words, locale, answerUrl });
        const end = { StatusCallback: answerUrl, StatusCallbackMethod: 'GET' };
        const fields = { To: phone, From: anyNumber(), Timeout: ringsForSpeech, TimeLimit: '90', Twiml: twiml, ...end };
        return { kind: 'ours', reference: parseResponse(called, await call(fields, signal)).sid };
      },
      async delivery({ reference }, signal) {
        const path = `/${reference.startsWith('CA') ? 'Calls' : 'Messages'}/${encodeURIComponent(reference)}.json`;
        const { status } = parseResponse(standing, await askAccount({ method: 'GET', path, signal }));
        return deliveries[status] ?? 'under way';
      },
      async readStatus(signal) {
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

const refusal = z.object({ code: writtenInteger });

const called = z.object({ sid: z.string().check(z.regex(/^CA[\da-f]{32}$/i)) });

/** https://www.twilio.com/docs/api/errors; for other codes, the HTTP status decides. */
const reasons: Readonly<Record<number, RefusalReason>> = {
  10001: 'credentials', // the account is not active; an empty one is suspended
  10002: 'credentials', // a trial account
  10004: 'rate', // too many concurrent calls
  10005: 'credentials', // voice is disabled for the account
  13227: 'rejected', // no permission for the country
  20003: 'credentials',
  20005: 'credentials',
  20429: 'rate',
  21210: 'credentials', // a number of the pool does not belong to the account
  21211: 'number',
  21212: 'credentials', // a number of the pool is invalid
  21214: 'rejected',
  21215: 'rejected', // no permission for the country
  21216: 'rejected',
  21217: 'number',
  21408: 'rejected', // text messages to this country are not allowed
  21606: 'credentials', // the sender does not belong to the account
  21610: 'rejected', // the person has sent STOP
  21614: 'rejected', // valid, but not a mobile number
  21659: 'credentials', // the sender does not belong to the account
  21219: 'rejected', // a trial account can call only confirmed numbers
};

type AskTwilio = (question: Pick<ProviderRequest, 'method' | 'path' | 'body' | 'signal'>) => Promise<ProviderResponse>;

/** Sends requests below the account's own URL; throws `CallRefused` if Twilio refuses one. */
function askTwilio({ base, sid, token }: { base: string; sid: string; token: string }): AskTwilio {
  const headers = { authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}` };
  return async ({ path = '', ...question }) => {
    const account = `/2010-04-01/Accounts/${encodeURIComponent(sid)}`;
    const response = await requestProvider({ ...question, base, path: account + path, headers });
    if (response.status < 300) return response;
    const read = refusal.safeParse(response.body);
    const code = read.success ? read.data.code : response.status;
    const { status } = response;
    throw refusedWith(status, reasons[code] ?? reasonOf(status), `Twilio’s error ${code} (HTTP ${status})`);
  };
}

const reasonOf = (status: number): RefusalReason => (status === 400 ? 'rejected' : reasonOfStatus(status));

const status = z.object({ status: z.string() });

const lookEvery = seconds(0.7);
/** Long enough for the phone to show the caller and list a missed call. */
const ringsFor = seconds(1.5);
/** After this time, the call's own limit has ended it. */
const lookFor = seconds(30);
const responseTimeout = seconds(2);

/**
 * Cancels a call once it rings. Continues after our response to the user and fails silently: if Twilio does not respond
 * or this process ends, the call stops at its own limit, and its TwiML hangs up if the user answers.
 */
function hangUpOnRinging(ask: AskTwilio, callSid: string): void {
  const path = `/Calls/${callSid}.json`;
  const within = () => AbortSignal.timeout(responseTimeout);
  const wait = (milliseconds: number) => pause(milliseconds, undefined, { ref: false });

  const look = async () => parseResponse(status, await ask({ method: 'GET', path, signal: within() })).status;

  async function watch(): Promise<void> {
    const end = performance.now() + lookFor;
    while (performance.now() < end) {
      await wait(lookEvery);
      const now = await look().catch(() => 'unknown');
      if (now === 'queued' || now === 'initiated' || now === 'unknown') continue;
      if (now !== 'ringing') return;
      await wait(ringsFor);
      await ask({ method: 'POST', path, body: form({ Status: 'canceled' }), signal: within() });
      return;
    }
  }

  watch().catch(() => undefined);
}

/** TwiML of a flash call. */
const hangUpWhenAnswered = '<Response><Hangup/></Response>';

interface Voice {
  /** The language code that Twilio lists for this voice. */
  readonly language: string;
  readonly voice: string;
}

const english: Voice = { language: 'en-US', voice: 'Polly.Joanna' };

/**
 * From Twilio's list of voices (https://www.twilio.com/docs/voice/twiml/say/text-speech): a call with an unlisted voice
 * is silent. The list has no permanent voice for Hungarian and Ukrainian, so we do not offer these.
 */
const voices: Readonly<Partial<Record<LanguageCode, Voice>>> = {
  ar: { language: 'arb', voice: 'Polly.Zeina' },
  cs: { language: 'cs-CZ', voice: 'Polly.Jitka-Neural' },
  de: { language: 'de-DE', voice: 'Polly.Vicki' },
  el: { language: 'el-GR', voice: 'Google.el-GR-Standard-B' },
  en: english,
  es: { language: 'es-ES', voice: 'Polly.Lucia' },
  fr: { language: 'fr-FR', voice: 'Polly.Lea' },
  it: { language: 'it-IT', voice: 'Polly.Bianca' },
  ja: { language: 'ja-JP', voice: 'Polly.Mizuki' },
  nl: { language: 'nl-NL', voice: 'Polly.Lotte' },
  pl: { language: 'pl-PL', voice: 'Polly.Ewa' },
  pt: { language: 'pt-BR', voice: 'Polly.Camila' },
  ro: { language: 'ro-RO', voice: 'Polly.Carmen' },
  ru: { language: 'ru-RU', voice: 'Polly.Tatyana' },
  tr: { language: 'tr-TR', voice: 'Polly.Filiz' },
  zh: { language: 'cmn-CN', voice: 'Polly.Zhiyu' },
};

export const spokenLanguages = Object.keys(voices) as LanguageCode[];

/** Three times, because users miss the first while they lift the phone to the ear. */
const times = 3;

/**
 * TwiML that speaks the introduction and then the digits one by one (https://www.twilio.com/docs/voice/twiml/say).
 * Twilio reads digits in the voice's language, so they need no translation.
 */
export function speakDigits(said: { code: string; locale: LanguageCode; introduction?: string | undefined }): string {
  const { code, locale, introduction } = said;
  const { language, voice } = voices[locale] ?? english;
  const words = [introduction, [...code].join(', ')].filter(Boolean).join(' ');
  const once = `<Say language="${language}" voice="${voice}">${escapeXml(words)}.</Say><Pause length="1"/>`;
  return `<Response><Pause length="1"/>${once.repeat(times)}</Response>`;
}

/**
 * TwiML that reads a text and waits for a key (https://www.twilio.com/docs/voice/twiml/gather). Without a key, as from a
 * mailbox, the call ends and nothing follows.
 */
function speakQuestion({ words, locale, answerUrl }: Pick<QuestionCall, 'words' | 'locale' | 'answerUrl'>): string {
  const once = `${sayIn(locale, words)}<Pause length="2"/>`;
  const action = escapeXml(answerUrl);
  const gather = `<Gather numDigits="1" timeout="8" method="GET" action="${action}">${once.repeat(2)}</Gather>`;
  return `<Response><Pause length="1"/>${gather}</Response>`;
}

/** TwiML that speaks after a key. */
export const speakAnswer = (locale: LanguageCode, words: string): string =>
  `<Response>${words && sayIn(locale, words)}<Hangup/></Response>`;

function sayIn(locale: LanguageCode, words: string): string {
  const { language, voice } = voices[locale] ?? english;
  return `<Say language="${language}" voice="${voice}">${escapeXml(words)}</Say>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] as string);
