import { randomInt, randomUUID } from 'node:crypto';
import { days, hours, minutes, seconds } from '../../contract/durations.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { phoneDigits } from '../../contract/limits.ts';
import { readPhoneIn } from '../../contract/phone.ts';
import { type Refusing, refuse } from '../../contract/refuse.ts';
import type { PlacedCall } from '../../phone-calls/calls.ts';
import { CallRefused } from '../../phone-calls/provider.ts';
import { proofOf } from '../../security/phone-proofs.ts';
import { randomSecret } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { countMore, countRequest, type Limit, limitsFreeAt, uncount } from '../../store/limits.ts';
import { beginCall, callFailed, callWasPlaced, providersMissed } from '../../store/phone-calls.ts';
import type { Visitor } from '../../store/visitor.ts';
import { requestCall } from './confirm-phone.contract.ts';

const callLifetime = minutes(5);
/** The pause between two calls to a number. */
const callResend = seconds(60);

export interface Wish {
  readonly phone: string;
  readonly locale: LanguageCode;
  readonly way: 'ring' | 'voice';
  readonly visitor: Visitor;
}

export const triesPerCall = 3;
/** Across all calls to a number, so that asking again is no way to guess on. */
export const triesOf = (phone: string): Limit => ({ key: `phone-tries:${phone}`, limit: 9, within: days(1) });
/** Also of tries that nobody looked at, because the provider does not answer. */
export const checksOf = (phone: string): Limit => ({ key: `phone-checks:${phone}`, limit: 30, within: hours(1) });

/** What one number and the whole service may cost: a phone that rings twice for one request counts twice. */
const costOf = (phone: string, perDay: number): readonly Limit[] => [
  { key: `phone-calls:${phone}`, limit: 3, within: hours(1) },
  { key: 'phone-calls', limit: perDay, within: days(1) },
];

/** What is counted for a call, and given back where nobody's phone can ring. */
const limitsOf = (phone: string, source: string, perDay: number): readonly Limit[] => [
  { key: `phone-pause:${phone}`, limit: 1, within: callResend },
  ...costOf(phone, perDay),
  { key: `phone-address:${source}`, limit: 5, within: hours(1) },
];

/** What is never given back, so that calls which are refused are no way to go on for ever. */
const attemptsOf = (phone: string, source: string): readonly Limit[] => [
  { key: `phone-attempts:${phone}`, limit: 10, within: hours(1) },
  { key: `phone-attempts-of:${source}`, limit: 20, within: hours(1) },
];

/** What the browser needs in order to wait; durations in seconds. */
export const waitingFor = (call: string, lifetime: number) => ({
  call,
  digits: phoneDigits as 4,
  expires_in: lifetime / 1000,
  resend_in: callResend / 1000,
  attempts_left: triesPerCall,
});

/** The number as E.164; refuses what libphonenumber does not know. */
export function requirePhone(
  endpoint: Refusing<'phone_invalid'>,
  { phone: typed, locale }: Pick<Wish, 'phone' | 'locale'>,
): string {
  const phone = readPhoneIn(typed, locale);
  if (!phone) throw refuse(endpoint, 'phone_invalid');
  return phone;
}

/** A limit that is reached, with the wait until it is free, in milliseconds. */
export class TooManyCalls extends Error {
  readonly wait: number;
  constructor(wait: number) {
    super('too many calls');
    this.wait = wait;
  }
}

/** Counts a call against every limit. Returns what may be given back (`store/limits.ts`). */
export async function countCall(
  service: Service,
  { phone, source }: { phone: string; source: string },
): Promise<readonly string[]> {
  const now = service.now();
  const limits = limitsOf(phone, source, service.config.CALLS_PER_DAY);
  const noTriesUntil = await limitsFreeAt(service.store, [triesOf(phone)], now);
  if (noTriesUntil > now) throw new TooManyCalls(noTriesUntil - now);
  const counted = await countRequest(service.store, [...limits, ...attemptsOf(phone, source)], now);
  if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
  return counted.hits.slice(0, limits.length);
}

/** Has a number called, with the first provider that will. Refuses with `phone_invalid`, `TooManyCalls` or `call_failed`. */
export async function placeCall(service: Service, wish: Wish) {
  const { locale, way, visitor } = wish;
  const phone = requirePhone(requestCall, wish);
  const hits = await countCall(service, { phone, source: visitor.source });
  const now = service.now();
  const id = randomSecret(128);
  // Never 0000, which no provider has a number for.
  const code = String(randomInt(1, 10 ** phoneDigits)).padStart(phoneDigits, '0');
  await service.store.transaction().execute((trx) =>
    beginCall(trx, {
      id,
      phone,
      way,
      proof: null,
      attempts_left: triesPerCall,
      locale,
      created_at: now,
      expires_at: now + callLifetime,
    }),
  );
  try {
    const missed = await providersMissed(service.store, { phone, since: now - hours(1) });
    const call = { id: randomUUID(), phone, code, locale, ip: visitor.ip };
    const done =
      way === 'ring'
        ? await service.calls.place(call, missed)
        : await service.calls.speak({ ...call, introduction: await service.introduction(locale) }, missed);
    await callWasPlaced(service.store, { id, ...expectedAnswer(service, { id, code, done }) });
    await countRinging(service, phone, done.mayAlsoRing);
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(service.store, id);
    if (error.mayRing === 0) await uncount(service.store, hits);
    else await countRinging(service, phone, error.mayRing - 1);
    throw refuse(requestCall, error.reason === 'number' ? 'phone_invalid' : 'call_failed', { cause: error });
  }
  return waitingFor(id, callLifetime);
}

/** One call was counted when it was asked for; providers that did not answer in time may ring besides. */
function countRinging({ store, config, now }: Service, phone: string, times: number): Promise<void> {
  const keys = costOf(phone, config.CALLS_PER_DAY).map(({ key }) => key);
  return countMore(store, { keys, times, at: now() });
}

function expectedAnswer(service: Service, { id, code, done }: { id: string; code: string; done: PlacedCall }) {
  const { provider, placed } = done;
  if (placed.kind === 'checked') return { provider, proof: null, reference: placed.reference };
  const answer = placed.kind === 'theirs' ? placed.code : code;
  return { provider, proof: proofOf(service.keyring.phone[0] as Buffer, id, answer), reference: null };
}
