import { localeOf, pathIn } from '../../../contract/languages.ts';
import { days } from '../../../contract/units.ts';
import { dateTimeIn } from '../../../outbox/email/email-content.ts';
import { signatureFor } from '../../../phone-calls/call-texts.ts';
import { calleeOf, isCallable } from '../../../phone-calls/callable.ts';
import type { CallCharge } from '../../../phone-calls/calls.ts';
import { budgetOf, priceOf } from '../../../phone-calls/prices.ts';
import { CallRefused } from '../../../phone-calls/provider.ts';
import { macOfCode } from '../../../security/macs.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import {
  alarmBudgetKey,
  budgetKey,
  countRequest,
  limitKey,
  type RateLimit,
  refundHits,
  weeklyKey,
} from '../../../store/rate-limits.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, Sending } from './channel.ts';
import { describeIncident } from './words.ts';

/** For each account; each message may be repeated twice. */
const callsADay = 10;
const textsADay = 20;
/** Of the daily budget for confirmations, which keep the rest. */
const shareOfAlarms = 0.2;
/** Calls to one range of numbers in a day, in multiples of `CALLS_PER_PREFIX`, as for confirmations. */
const prefixMultiple = 10;

/** Only to the confirmed number, which the timeline shows by its last digits. */
const recipient: AlarmChannel['recipient'] = ({ account: { phone, phone_confirmed_at: confirmed } }) =>
  confirmed === null ? undefined : `…${phone.slice(-2)}`;

/** Whether a provider could: reaches the number, or any as long as none is confirmed, and takes our words in a text. */
function reaches({ config, calls }: ChannelService, account: AccountsTable, way: 'ring' | 'voice' | 'sms'): boolean {
  if (config.ALARM_CALLS === 'off' || !calls.ways.includes(way)) return false;
  if (account.phone_confirmed_at === null) return true;
  const able = calls.providersFor(way, account, way === 'sms' ? { ownWords: true } : {});
  return isCallable(account.phone, config.CALL_COUNTRIES) && able.length > 0;
}

export const call: AlarmChannel = {
  name: 'call',
  rings: true,
  once: true,
  room: 4,
  isOffered: (service, account) => reaches(service, account, 'ring') || reaches(service, account, 'voice'),
  recipient,
  send: (service, message) => sendWithin(service, message, { name: 'alarm-calls', aDay: callsADay, send: placeCall }),
};

export const sms: AlarmChannel = {
  name: 'sms',
  once: true,
  heedsQuietHours: true,
  room: 4,
  isOffered: (service, account) => reaches(service, account, 'sms'),
  recipient,
  send: (service, message) => sendWithin(service, message, { name: 'alarm-texts', aDay: textsADay, send: sendText }),
};

interface Limited {
  readonly name: 'alarm-calls' | 'alarm-texts';
  readonly aDay: number;
  send(service: ChannelService, message: AlarmMessage): Promise<void>;
}

/** Counts the message before the attempt, and says why a refused one did not leave. */
async function sendWithin(service: ChannelService, message: AlarmMessage, limited: Limited): Promise<Sending> {
  const { config, store, now } = service;
  const { account } = message;
  if (config.ALARM_CALLS === 'off') return { state: 'failed', error: 'the operator has switched off alarms by phone' };
  if (!isCallable(account.phone, config.CALL_COUNTRIES)) return { state: 'failed', error: 'this number is not called' };
  const limit = { key: limitKey(limited.name, account.id), limit: limited.aDay, within: days(1) };
  const counted = await countRequest(store, [limit], now());
  if (counted.state === 'refused') return { state: 'failed', error: `${limited.aDay} a day` };
  try {
    await limited.send(service, message);
    return { state: 'sent' };
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    return { state: 'failed', error: `${error.reason}: ${error.message}` };
  }
}

/** A call that asks for a key, or else one that only rings, with a text message that says why. */
async function placeCall(service: ChannelService, message: AlarmMessage): Promise<void> {
  const { calls, config, keyring } = service;
  const { id, account } = message;
  const { locale, phone } = account;
  const { say, title } = await wordsOf(service, message);
  const proof = macOfCode(keyring.calls[0] as Buffer, id, answerPurpose);
  const question = {
    ...{ id, phone, locale },
    words: say('mail.incident.press', { title }),
    answerUrl: `${config.PUBLIC_URL}/alarm-calls/${id}/${proof}`,
  };
  const asked = await calls.ask(question, { pay: payFor(service, account, 'voice') }).catch((error: unknown) => error);
  if (!(asked instanceof CallRefused)) {
    if (asked instanceof Error) throw asked;
    return;
  }
  // It may ring already, or nothing more may be spent.
  if (asked.mayRing > 0 || asked.reason === 'budget') throw asked;
  const ring = { id, phone, code: codeThatRings, locale, ip: '' };
  await calls.reach('ring', ring, { pay: payFor(service, account, 'ring') });
  // Somebody who sees the missed call looks at the text, and at the email; without this text, the call is still one.
  if (calls.providersFor('sms', { locale, phone }).length > 0) await sendText(service, message).catch(() => undefined);
}

/** Part of the MAC in the address that a key press requests. */
export const answerPurpose = 'alarm answer';
/** The number that rings means nothing. */
const codeThatRings = '1234';

/** Operators there discard text messages that contain web addresses. */
const withoutAddresses = ['CN', 'JP'];

async function sendText(service: ChannelService, message: AlarmMessage): Promise<void> {
  const { calls, config } = service;
  const { id, account } = message;
  const { locale, phone } = account;
  const { title, outcome, path } = await wordsOf(service, message);
  const country = calleeOf(phone)?.country ?? '';
  const link = withoutAddresses.includes(country) ? '' : ` ${config.PUBLIC_URL}${pathIn(locale, path)}`;
  const text = `${signatureFor(config.SMS_SENDERS, country) ?? ''}${config.PRODUCT_NAME}: ${title}${outcome}${link}`;
  await calls.reach(
    'sms',
    { id, phone, code: '', locale, ip: '', message: text },
    { ownWords: true, pay: payFor(service, account, 'sms') },
  );
}

/** The words of a message in the language of the account, without the isolates that only emails need. */
async function wordsOf({ config, now, callTexts }: ChannelService, { account, event, report }: AlarmMessage) {
  const say = await callTexts.words(account.locale);
  const language = localeOf(account.locale);
  if (!report)
    return {
      say,
      title: say('mail.alarm_test.subject', { product: config.PRODUCT_NAME }),
      outcome: '',
      path: '/alarms/',
    };
  const dateTime = dateTimeIn(language, account.time_zone ?? undefined);
  const { title, devices, duration, path } = describeIncident(
    { event, report },
    { say, language, dateTime, now: now() },
  );
  const [first] = devices;
  const facts = devices.length === 1 && first ? first.facts : duration;
  return { say, title, outcome: event === 'ended' ? ` · ${facts}` : '', path };
}

/** Charges an attempt to the part of the budget that alarms have, and to all of it. */
const payFor =
  ({ store, config, now }: ChannelService, { phone }: AccountsTable, way: 'voice' | 'ring' | 'sms') =>
  async (provider: string): Promise<CallCharge | undefined> => {
    const units = priceOf(config.CONFIRMATION_PRICES, { provider, way });
    const budget = budgetOf(config);
    const within = days(1);
    const limits: RateLimit[] = [
      { key: weeklyKey('prefix', phone.slice(0, -4)), limit: config.CALLS_PER_PREFIX * prefixMultiple, within },
      ...(units === 0
        ? []
        : [
            { key: alarmBudgetKey, limit: Math.floor(budget * shareOfAlarms), within, units },
            { key: budgetKey, limit: budget, within, units },
          ]),
    ];
    const counted = await countRequest(store, limits, now());
    if (counted.state === 'refused') return undefined;
    const { hits } = counted;
    return { hits, giveBack: async () => void (await refundHits(store, hits)) };
  };
