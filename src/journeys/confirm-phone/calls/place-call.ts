import { randomInt, randomUUID } from 'node:crypto';
import { hours, minutes } from '../../../contract/durations.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { phoneDigits, sentDigits } from '../../../contract/limits.ts';
import { refuse } from '../../../contract/refuse.ts';
import type { PlacedCall } from '../../../phone-calls/calls.ts';
import { priceOf } from '../../../phone-calls/prices.ts';
import { CallRefused } from '../../../phone-calls/provider.ts';
import { countryOf } from '../../../phone-calls/what-arrives/arrivals-by-country.ts';
import { proofOf } from '../../../security/answer-proofs.ts';
import { randomSecret } from '../../../security/secrets.ts';
import type { Service } from '../../../server/foundation.ts';
import { withinBudget } from '../../../store/budget.ts';
import { providerRates } from '../../../store/calls/call-outcomes.ts';
import { beginCall, callFailed, callWasPlaced, providersMissed } from '../../../store/calls/phone-calls.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { countMore, uncount } from '../../../store/limits.ts';
import { requestCall as contract } from '../confirm-phone.contract.ts';
import { keptAttempt, triesPerCall, waitingFor } from './asked-before.ts';
import { budgetFreeAt, payFor } from './call-budget.ts';
import { type CallRequest, countCall, TooManyCalls } from './call-limits.ts';
import { groupKey } from './number-limits.ts';
import { requireNoOtherWait } from './reverse-wait.ts';
import { waysLeft } from './ways-left.ts';

const callLifetime = minutes(5);

/** With the number as E.164. */
export interface Wish extends CallRequest {
  readonly locale: LanguageCode;
  readonly attempt?: string | undefined;
}

/**
 * Has the number called by the first provider that will. Throws `TooManyCalls`, `NumberInUse`, `AlreadyWaiting` or a refusal with
 * `phone_invalid` or `call_failed`.
 */
export async function placeCall(service: Service, wish: Wish) {
  const { phone, locale, way, visitor } = wish;
  const now = service.now();
  await requireBudget(service, wish);
  const id = randomSecret(128);
  // With its count, so that whoever is refused because of it finds it.
  const hits = await countCall(service, wish, async (trx) => {
    await requireNoOtherWait(trx, { ...wish, now });
    await begin(trx, { ...wish, id, now });
  });
  const code = randomDigits(phoneDigits);
  const longCode = randomDigits(sentDigits);
  const prepared = await prepare(service, { ...wish, now, code: longCode }).catch(async (error: unknown) => {
    // Nobody was asked to call: an error of ours costs the number nothing.
    await withinBudget(async () => {
      await uncount(service.store, hits);
      await callFailed(service.store, id);
    }, service.waitsFor).catch(() => undefined);
    throw error;
  });
  let number: string | undefined;
  let digits: PlacedCall['digits'] = phoneDigits;
  try {
    const { words, circumstances } = prepared;
    const call = { id: randomUUID(), phone, code, longCode, locale, ip: visitor.ip, ...words };
    const done = await service.calls.reach(way, call, circumstances);
    const { placed } = done;
    digits = done.digits;
    if (placed.kind === 'awaited') number = placed.number;
    // It rings: whether its digits can be typed must not depend on what the request has left of its time.
    await withinBudget(async () => {
      await callWasPlaced(service.store, { id, digits, ...expectedAnswer(service, { id, done }) });
      await countRinging(service, wish, done.mayAlsoRing);
    }, service.waitsFor);
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(service.store, id);
    if (error.mayRing > 0) await countRinging(service, wish, error.mayRing - 1);
    // What was charged counts, though nothing arrives.
    else if (!error.charged) await uncount(service.store, hits);
    // Others spent the last of it meanwhile.
    if (error.reason === 'budget') await requireBudget(service, wish);
    const code = error.reason === 'number' ? 'phone_invalid' : 'call_failed';
    throw refuse(contract, code, { ways: await waysLeft(service, { ...wish, besides: [way] }), cause: error });
  }
  // mutation: digits-given-away
  return { ...waitingFor(id, callLifetime), digits, ...(number !== undefined && { number }) };
}

/** Never 0000, which no provider has a number for. */
const randomDigits = (length: number): string => String(randomInt(1, 10 ** length)).padStart(length, '0');

function begin(trx: StoreTransaction, { id, now, ...wish }: Wish & { id: string; now: number }): Promise<void> {
  const { phone, way, locale, visitor, attempt, browser } = wish;
  return beginCall(trx, {
    id,
    phone,
    country: countryOf(phone),
    way,
    proof: null,
    attempts_left: triesPerCall,
    locale,
    source: visitor.source,
    browser,
    digits: null,
    created_at: now,
    expires_at: now + callLifetime,
    attempt: keptAttempt({ phone, way, attempt }),
  });
}

/** What is asked of the database before anybody is asked to call. */
async function prepare(service: Service, wish: Wish & { readonly now: number; readonly code: string }) {
  const { phone, locale, way, visitor, now, code } = wish;
  return {
    words: await wordsFor(service, { way, locale, code }),
    circumstances: await circumstancesOf(service, { phone, way, visitor, now }),
  };
}

/** Refuses what the day has nothing left for, before anything of the person's that is under way ends. */
async function requireBudget(service: Service, wish: Wish): Promise<void> {
  const freeAt = await budgetFreeAt(service, wish);
  const now = service.now();
  if (freeAt > now) throw new TooManyCalls(freeAt - now);
}

/** How far back it is looked what has arrived. */
const lately = hours(6);

/** Whom to ask first, and what it costs. */
async function circumstancesOf(
  service: Service,
  { phone, way, visitor, now }: Pick<Wish, 'phone' | 'way' | 'visitor'> & { now: number },
) {
  const { store, config } = service;
  return {
    missed: await providersMissed(store, { phone, since: now - hours(1) }),
    rates: await providerRates(store, { way, country: countryOf(phone), since: now - lately, now }),
    pay: (provider: string) =>
      payFor(service, { visitor, units: priceOf(config.CONFIRMATION_PRICES, { provider, way }) }),
  };
}

/** What a voice says, or a message. */
async function wordsFor({ words }: Service, { way, locale, code }: Pick<Wish, 'way' | 'locale'> & { code: string }) {
  if (way === 'voice') return { introduction: await words.introduction(locale) };
  return way === 'sms' ? { message: await words.message(locale, code) } : {};
}

/** One call was counted when it was asked for; providers that did not respond in time may ring besides. */
async function countRinging({ store, now }: Service, wish: Wish, times: number): Promise<void> {
  const key = groupKey(wish);
  if (key !== undefined) await countMore(store, { key, times, at: now() });
}

function expectedAnswer(service: Service, { id, done }: { id: string; done: PlacedCall }) {
  const { provider, placed, code } = done;
  if (placed.kind === 'checked' || placed.kind === 'awaited') {
    const { reference } = placed;
    return { provider, proof: null, reference, number: placed.kind === 'awaited' ? placed.number : null };
  }
  // mutation: our-digits
  const answer = placed.kind === 'theirs' ? placed.code : code;
  const reference = placed.kind === 'ours' ? (placed.reference ?? null) : null;
  return { provider, proof: proofOf(service.keyring.calls[0] as Buffer, id, answer), reference, number: null };
}
