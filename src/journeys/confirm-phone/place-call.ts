import { randomInt, randomUUID } from 'node:crypto';
import { callLifetime, callResend, days, hours, phoneDigits } from '../../contract/constants.ts';
import { Failure } from '../../contract/failures.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { readPhoneIn } from '../../contract/phone.ts';
import type { Calls, PlacedCall } from '../../phone-calls/calls.ts';
import { CallRefused } from '../../phone-calls/provider.ts';
import { proofOf } from '../../security/phone-proofs.ts';
import { randomSecret } from '../../security/secrets.ts';
import type { Store } from '../../store/database.ts';
import { countRequest, type Limit, limitsFreeAt, uncount } from '../../store/limits.ts';
import { beginCall, callFailed, callWasPlaced, providersMissed } from '../../store/phone-calls.ts';

export interface CallDeps {
  readonly store: Store;
  readonly keyring: { readonly phone: readonly Buffer[] };
  readonly calls: Calls;
  readonly settings: { readonly CALLS_PER_DAY: number };
  /** What is said before the digits of a spoken call. */
  introduction(language: LanguageCode): Promise<string>;
  now(): number;
}

export interface Wish {
  readonly phone: string;
  readonly locale: LanguageCode;
  readonly way: 'ring' | 'voice';
  readonly visitor: { readonly ip: string; readonly source: string };
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
export function requirePhone(typed: string, locale: LanguageCode): string {
  const phone = readPhoneIn(typed, locale);
  if (!phone) throw new Failure('phone_invalid');
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
  deps: Pick<CallDeps, 'store' | 'settings' | 'now'>,
  { phone, source }: { phone: string; source: string },
): Promise<readonly string[]> {
  const now = deps.now();
  const { ofNumber, ofAddress } = limitsOf(phone, source, deps.settings.CALLS_PER_DAY);
  const noTriesUntil = await limitsFreeAt(deps.store, [triesOf(phone)], now);
  if (noTriesUntil > now) throw new TooManyCalls(noTriesUntil - now);
  const counted = await countRequest(deps.store, [...ofNumber, ofAddress], now);
  if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
  return counted.hits.slice(0, ofNumber.length);
}

/** Has a number called, with the first provider that will. Refuses with `phone_invalid`, `TooManyCalls` or `call_failed`. */
export async function placeCall(deps: CallDeps, { locale, way, visitor, ...wish }: Wish) {
  const phone = requirePhone(wish.phone, locale);
  const hits = await countCall(deps, { phone, source: visitor.source });
  const now = deps.now();
  const id = randomSecret(128);
  // Never 0000, which no provider has a number for.
  const code = String(randomInt(1, 10 ** phoneDigits)).padStart(phoneDigits, '0');
  await deps.store.transaction().execute((trx) =>
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
    const missed = await providersMissed(deps.store, { phone, since: now - hours(1) });
    const call = { id: randomUUID(), phone, code, locale, ip: visitor.ip };
    const done =
      way === 'ring'
        ? await deps.calls.place(call, missed)
        : await deps.calls.speak({ ...call, introduction: await deps.introduction(locale) }, missed);
    await callWasPlaced(deps.store, { id, ...expectedAnswer(deps, { id, code, done }) });
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(deps.store, id);
    await uncount(deps.store, hits);
    throw new Failure(error.reason === 'number' ? 'phone_invalid' : 'call_failed', { cause: error });
  }
  return waitingFor(id, callLifetime);
}

function expectedAnswer(deps: CallDeps, { id, code, done }: { id: string; code: string; done: PlacedCall }) {
  const { provider, placed } = done;
  if (placed.kind === 'checked') return { provider, proof: null, reference: placed.reference };
  const answer = placed.kind === 'theirs' ? placed.code : code;
  return { provider, proof: proofOf(deps.keyring.phone[0] as Buffer, id, answer), reference: null };
}
