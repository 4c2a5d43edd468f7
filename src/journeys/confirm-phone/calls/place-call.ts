import { randomInt, randomUUID } from 'node:crypto';
import type { CallWay } from '../../../contract/call-ways.ts';
import { hours, minutes } from '../../../contract/durations.ts';
import { readPhoneIn } from '../../../contract/fields/phone.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { phoneDigits } from '../../../contract/limits.ts';
import { type Refusing, refuse } from '../../../contract/refuse.ts';
import { isUsableAddress } from '../../../outbox/domains/usable-address.ts';
import { isCallable } from '../../../phone-calls/callable.ts';
import type { PlacedCall } from '../../../phone-calls/calls.ts';
import { offeredWays } from '../../../phone-calls/confirmation-ways.ts';
import { priceOf } from '../../../phone-calls/prices.ts';
import { CallRefused } from '../../../phone-calls/provider.ts';
import { countryOf } from '../../../phone-calls/what-arrives/arrivals-by-country.ts';
import { proofOf } from '../../../security/answer-proofs.ts';
import { randomSecret } from '../../../security/secrets.ts';
import type { Service } from '../../../server/foundation.ts';
import { findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { withinBudget } from '../../../store/budget.ts';
import { providerRates } from '../../../store/calls/call-outcomes.ts';
import {
  awaitedByOther,
  beginCall,
  callFailed,
  callWasPlaced,
  providersMissed,
} from '../../../store/calls/phone-calls.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { countMore, uncount } from '../../../store/limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { requestCall } from '../confirm-phone.contract.ts';
import { askedBefore, keptAttempt, triesPerCall, waitingFor } from './asked-before.ts';
import { budgetFreeAt, payFor, waysWithBudget } from './call-budget.ts';
import { callsTo, countCall, TooManyCalls } from './call-limits.ts';

const callLifetime = minutes(5);

export interface Wish {
  readonly phone: string;
  readonly locale: LanguageCode;
  readonly way: CallWay;
  readonly visitor: Visitor;
  readonly attempt?: string | undefined;
}

/** The number as E.164; refuses what libphonenumber does not know. */
export function requirePhone(
  endpoint: Refusing<'phone_invalid'>,
  { phone: typed, locale }: Pick<Wish, 'phone' | 'locale'>,
): string {
  const phone = readPhoneIn(typed, locale);
  if (!phone) throw refuse(endpoint, 'phone_invalid');
  return phone;
}

/** Refuses an address that no account can be made with, before anybody is called for it. */
export async function examineAddress(service: Service, email: string): Promise<void> {
  if (!(await isUsableAddress(service, email))) throw refuse(requestCall, 'email_cannot_be_used');
  if (await findAccountByEmail(service.store, email)) throw refuse(requestCall, 'account_exists');
}

/** A call from that phone could not be told for whose page it was. */
async function requireNoOther(
  { store }: Service,
  { phone, visitor, now }: Pick<Wish, 'phone' | 'visitor'> & { now: number },
): Promise<void> {
  const until = await awaitedByOther(store, { phone, source: visitor.source, now });
  if (until !== undefined) throw new TooManyCalls(until - now);
}

/**
 * Has a number called, with the first provider that will; of requests with the same `attempt` one calls, and all are told the
 * same. Refuses with `phone_invalid`, `TooManyCalls` or `call_failed`.
 */
export async function placeCall(service: Service, wish: Wish) {
  const phone = requirePhone(requestCall, wish);
  if (!isCallable(phone, service.config.CALL_COUNTRIES)) throw refuse(requestCall, 'phone_invalid');
  // Not only the page keeps to it: a way may be left out because it proves too little, or costs too much.
  if (!offeredWays(service.config, service.calls.ways).includes(wish.way)) throw refuse(requestCall, 'call_failed');
  const before = () => askedBefore(service, requestCall, { phone, way: wish.way, attempt: wish.attempt });
  const told = await before();
  if (told) return told;
  return placeAnother(service, { ...wish, phone }).catch(async (error: unknown) => {
    // What came at the same time may have been what reached the limit.
    const meanwhile = error instanceof TooManyCalls ? await before() : undefined;
    if (!meanwhile) throw error;
    return meanwhile;
  });
}

async function placeAnother(service: Service, wish: Wish) {
  const { phone, locale, way, visitor } = wish;
  const now = service.now();
  if (way === 'reverse') await requireNoOther(service, { phone, visitor, now });
  await requireBudget(service, wish);
  const id = randomSecret(128);
  // With its count, so that whoever is refused because of it finds it.
  const hits = await countCall(service, { phone, way, visitor }, (trx) => begin(trx, { ...wish, id, now }));
  // Never 0000, which no provider has a number for.
  const code = String(randomInt(1, 10 ** phoneDigits)).padStart(phoneDigits, '0');
  const prepared = await prepare(service, { ...wish, now, code }).catch(async (error: unknown) => {
    // Nobody was asked to call: a fault of ours costs the number nothing.
    await withinBudget(async () => {
      await uncount(service.store, hits);
      await callFailed(service.store, id);
    }, service.waitsFor).catch(() => undefined);
    throw error;
  });
  let number: string | undefined;
  try {
    const { words, circumstances } = prepared;
    const call = { id: randomUUID(), phone, code, locale, ip: visitor.ip, ...words };
    const done = await service.calls.reach(way, call, circumstances);
    if (done.placed.kind === 'awaited') number = done.placed.number;
    // It rings: whether its digits can be typed must not depend on what the request has left of its time.
    await withinBudget(async () => {
      await callWasPlaced(service.store, { id, ...expectedAnswer(service, { id, code, done }) });
      await countRinging(service, phone, done.mayAlsoRing);
    }, service.waitsFor);
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(service.store, id);
    if (error.mayRing === 0) await uncount(service.store, hits);
    else await countRinging(service, phone, error.mayRing - 1);
    // Others spent the last of it meanwhile.
    if (error.reason === 'budget') await requireBudget(service, wish);
    throw refuse(requestCall, error.reason === 'number' ? 'phone_invalid' : 'call_failed', { cause: error });
  }
  // mutation: digits-given-away
  return { ...waitingFor(id, callLifetime), ...(number !== undefined && { number }) };
}

function begin(trx: StoreTransaction, { id, now, ...wish }: Wish & { id: string; now: number }): Promise<void> {
  const { phone, way, locale, visitor, attempt } = wish;
  return beginCall(trx, {
    id,
    phone,
    country: countryOf(phone),
    way,
    proof: null,
    attempts_left: triesPerCall,
    locale,
    source: visitor.source,
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
  if (freeAt > now) throw new TooManyCalls(freeAt - now, await waysWithBudget(service, wish));
}

/** How far back it is looked what has arrived. */
const lately = hours(6);

/** Whom to ask first, and what it costs. */
async function circumstancesOf(service: Service, { phone, way, visitor, now }: Omit<Wish, 'locale'> & { now: number }) {
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

/** One call was counted when it was asked for; providers that did not answer in time may ring besides. */
function countRinging({ store, now }: Service, phone: string, times: number): Promise<void> {
  return countMore(store, { key: callsTo(phone).key, times, at: now() });
}

function expectedAnswer(service: Service, { id, code, done }: { id: string; code: string; done: PlacedCall }) {
  const { provider, placed } = done;
  if (placed.kind === 'checked' || placed.kind === 'awaited')
    return {
      provider,
      proof: null,
      reference: placed.reference,
      number: placed.kind === 'awaited' ? placed.number : null,
    };
  // mutation: our-digits
  const answer = placed.kind === 'theirs' ? placed.code : code;
  return { provider, proof: proofOf(service.keyring.calls[0] as Buffer, id, answer), reference: null, number: null };
}
