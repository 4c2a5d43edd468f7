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
import { countRequest, type Limit, limitsFreeAt, uncount } from '../../store/limits.ts';
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

/** What one number, one address and the whole service may cost. */
const limitsOf = (phone: string, source: string, perDay: number) => ({
  ofNumber: [
    { key: `phone-pause:${phone}`, limit: 1, within: callResend },
    { key: `phone-calls:${phone}`, limit: 3, within: hours(1) },
    { key: 'phone-calls', limit: perDay, within: days(1) },
  ],
  ofAddress: { key: `phone-address:${source}`, limit: 5, within: hours(1) },
});

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

/** Counts a call against every limit; the address is counted also when the call then fails, so that failing is no way to go on. */
export async function countCall(
  service: Service,
  { phone, source }: { phone: string; source: string },
): Promise<readonly string[]> {
  const now = service.now();
  const { ofNumber, ofAddress } = limitsOf(phone, source, service.config.CALLS_PER_DAY);
  const noTriesUntil = await limitsFreeAt(service.store, [triesOf(phone)], now);
  if (noTriesUntil > now) throw new TooManyCalls(noTriesUntil - now);
  const counted = await countRequest(service.store, [...ofNumber, ofAddress], now);
  if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
  return counted.hits.slice(0, ofNumber.length);
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
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(service.store, id);
    await uncount(service.store, hits);
    throw refuse(requestCall, error.reason === 'number' ? 'phone_invalid' : 'call_failed', { cause: error });
  }
  return waitingFor(id, callLifetime);
}

function expectedAnswer(service: Service, { id, code, done }: { id: string; code: string; done: PlacedCall }) {
  const { provider, placed } = done;
  if (placed.kind === 'checked') return { provider, proof: null, reference: placed.reference };
  const answer = placed.kind === 'theirs' ? placed.code : code;
  return { provider, proof: proofOf(service.keyring.phone[0] as Buffer, id, answer), reference: null };
}
