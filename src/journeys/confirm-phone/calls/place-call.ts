import { randomInt, randomUUID } from 'node:crypto';
import { type CallWay, type ConfirmationWay, callLifetime } from '../../../contract/call-ways.ts';
import { type Refusing, refuse } from '../../../contract/failures.ts';
import { phoneDigits, sentDigits } from '../../../contract/fields/field-sizes.ts';
import { readPhoneIn } from '../../../contract/fields/phone.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { hours } from '../../../contract/units.ts';
import { isUsableAddress } from '../../../outbox/domains/addresses.ts';
import { isCallable } from '../../../phone-calls/callable.ts';
import type { PlacedCall } from '../../../phone-calls/calls.ts';
import { countryOf } from '../../../phone-calls/delivery-rates.ts';
import { priceOf } from '../../../phone-calls/prices.ts';
import { CallRefused } from '../../../phone-calls/provider.ts';
import { offeredWays } from '../../../phone-calls/providers.ts';
import { macOfCode, randomSecret } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { providerRates } from '../../../store/calls/call-outcomes.ts';
import { findReverseWait } from '../../../store/calls/confirmation-links.ts';
import {
  beginCall,
  callFailed,
  callWasPlaced,
  type PhoneCallsTable,
  providersMissed,
} from '../../../store/calls/phone-calls.ts';
import type { Store, StoreTransaction } from '../../../store/database.ts';
import { countAdditionalHits, refundHits } from '../../../store/rate-limits.ts';
import { withinBudget } from '../../../store/time-budget.ts';
import * as contract from '../confirm-phone.contract.ts';
import { budgetFreeAt, payFor } from './call-budget.ts';
import {
  type Caller,
  type CallRequest,
  callFreeAt,
  countCall,
  groupKey,
  ownerOf,
  TooManyCalls,
} from './call-rate-limits.ts';
import { findRepeatedRequest, keptAttempt, triesPerCall, waitingFor, waitingStill } from './repeated-request.ts';

interface CallWish extends Pick<Caller, 'visitor' | 'browser'> {
  /** The number as typed. */
  readonly phone: string;
  readonly locale: LanguageCode;
  readonly way: CallWay;
  readonly attempt?: string | undefined;
  /** The cookie of a browser that has signed in before. */
  readonly deviceToken: string | undefined;
}

/** The number in E.164; refuses numbers that libphonenumber cannot parse. */
export function requirePhone(
  endpoint: Refusing<'phone_invalid'>,
  { phone: typed, locale }: Pick<CallWish, 'phone' | 'locale'>,
): string {
  const phone = readPhoneIn(typed, locale);
  if (!phone) throw refuse(endpoint, 'phone_invalid');
  return phone;
}

/** Refuses an email address that cannot be registered, before a call is placed for it. */
export async function checkAddress(service: Service, email: string): Promise<void> {
  if (!(await isUsableAddress(service, email))) throw refuse(contract.requestCall, 'email_cannot_be_used');
  if (await findAccountByEmail(service.store, email)) throw refuse(contract.requestCall, 'account_exists');
}

/**
 * Places a call with the first provider that accepts it. Requests with the same `attempt` place one call and get the
 * same response. Refuses with `phone_invalid`, `number_in_use`, `TooManyCalls` or `call_failed`, and names the
 * remaining ways.
 */
export async function requestCall(service: Service, { deviceToken, ...asked }: CallWish) {
  const phone = requirePhone(contract.requestCall, asked);
  if (!isCallable(phone, service.config.CALL_COUNTRIES)) throw refuse(contract.requestCall, 'phone_invalid');
  const request = { ...asked, phone, owner: await ownerOf(service, { deviceToken, phone }) };
  const { way, attempt } = request;
  const left = (besides: readonly CallWay[]) => waysLeft(service, { ...request, besides });
  // Enforced here, not only on the page: the operator may exclude a way because it proves too little.
  const isOffered = offeredWays(service.config, service.calls.ways).includes(way);
  if (!isOffered || service.calls.providersFor(way, request).length === 0)
    throw refuse(contract.requestCall, 'call_failed', { ways: await left([way]) });
  const before = () => findRepeatedRequest(service, contract.requestCall, { phone, way, attempt });
  const requireNoOther = () => requireNoOtherWait(service.store, { ...request, now: service.now() });
  const repeated = await before();
  if (repeated) return { ...repeated, ways: reachedBesides(service, request) };
  const work = async () => {
    await requireNoOther();
    return placeCall(service, request);
  };
  const done = await work().catch(async (error: unknown) => {
    if (!(error instanceof TooManyCalls)) return whileWaiting(error);
    // A concurrent request with the same attempt may have reached the limit.
    const meanwhile = (await before()) ?? (await requireNoOther().catch(whileWaiting));
    if (!meanwhile) throw new TooManyCalls(error.wait, await left([way]));
    return meanwhile;
  });
  return { ...done, ways: reachedBesides(service, request) };

  async function whileWaiting(error: unknown) {
    if (error instanceof AlreadyWaiting) return waitingStill(service, error.wait);
    if (error instanceof NumberInUse)
      throw refuse(contract.requestCall, 'number_in_use', { ways: await left(['reverse']) });
    throw error;
  }
}

/** Other ways that reach the number, regardless of used-up limits; a request for one of them checks those. */
const reachedBesides = (service: Service, request: LocalizedCallRequest): ConfirmationWay[] =>
  offeredWays(service.config, service.calls.ways).filter(
    (way) => way !== request.way && (way === 'mail' || service.calls.providersFor(way, request).length > 0),
  );

/** `phone` is in E.164. */
interface LocalizedCallRequest extends CallRequest {
  readonly locale: LanguageCode;
  readonly attempt?: string | undefined;
}

/**
 * Places the call with the first provider that accepts it. Throws `TooManyCalls`, `NumberInUse`, `AlreadyWaiting` or a
 * refusal with `phone_invalid` or `call_failed`.
 */
async function placeCall(service: Service, request: LocalizedCallRequest) {
  const { phone, locale, way, visitor } = request;
  const now = service.now();
  await requireBudget(service, request);
  const id = randomSecret(128);
  // The transaction of the count also writes the call, so a concurrent request that the limit refuses finds it.
  const hits = await countCall(service, request, async (trx) => {
    await requireNoOtherWait(trx, { ...request, now });
    await begin(trx, { ...request, id, now });
  });
  service.counters.count('calls', 'asked');
  const code = randomDigits(phoneDigits);
  const longCode = randomDigits(sentDigits);
  const prepared = await prepare(service, { ...request, now, code: longCode }).catch(async (error: unknown) => {
    // No provider got a request: our own error must not use up the number's limits.
    await withinBudget(async () => {
      await refundHits(service.store, hits);
      await callFailed(service.store, id);
    }, service.timeBudget).catch(() => undefined);
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
    service.counters.count('calls', `placed ${done.provider} ${countryOf(phone)}`);
    if (placed.kind === 'awaited') number = placed.number;
    // The phone rings: recording the call must not depend on the remaining time of the request.
    await withinBudget(async () => {
      const { hits = [] } = done.refundable ?? {};
      const charge = hits.length > 0 ? JSON.stringify(hits) : null;
      await callWasPlaced(service.store, { id, digits, charge, ...expectedResult(service, { id, done }) });
      await countRinging(service, request, done.pendingRings);
    }, service.timeBudget);
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(service.store, id);
    service.counters.count('calls', `failed ${countryOf(phone)}`);
    if (error.mayRing > 0) await countRinging(service, request, error.mayRing - 1);
    // A charged attempt counts even if nothing arrives.
    else if (!error.charged) await refundHits(service.store, hits);
    // Concurrent requests spent the rest of the budget.
    if (error.reason === 'budget') await requireBudget(service, request);
    const code = error.reason === 'number' ? 'phone_invalid' : 'call_failed';
    throw refuse(contract.requestCall, code, {
      ways: await waysLeft(service, { ...request, besides: [way] }),
      cause: error,
    });
  }
  return { ...waitingFor(id, callLifetime), digits, ...(number !== undefined && { number }) };
}

/** Never all zeros: no provider has a number that ends in 0000. */
const randomDigits = (length: number): string => String(randomInt(1, 10 ** length)).padStart(length, '0');

function begin(trx: StoreTransaction, { id, now, ...request }: LocalizedCallRequest & { id: string; now: number }) {
  const { phone, way, locale, visitor, attempt, browser } = request;
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

/** Queries the database before any request to a provider. */
type CallPlan = LocalizedCallRequest & { readonly now: number; readonly code: string };
async function prepare(service: Service, request: CallPlan) {
  const { phone, locale, way, visitor, now, code } = request;
  return {
    words: await textFor(service, { way, locale, code, phone }),
    circumstances: await routingOf(service, { phone, way, visitor, now }),
  };
}

/** Throws `TooManyCalls` if the budget does not cover the call, before it replaces the user's pending call. */
async function requireBudget(service: Service, request: LocalizedCallRequest): Promise<void> {
  const freeAt = await budgetFreeAt(service, request);
  const now = service.now();
  if (freeAt > now) throw new TooManyCalls(freeAt - now);
}

/** Period of the confirmation rates. */
const lately = hours(6);

/** The order of providers, and the charge for each attempt. */
async function routingOf(
  service: Service,
  { phone, way, visitor, now }: Pick<LocalizedCallRequest, 'phone' | 'way' | 'visitor'> & { now: number },
) {
  const { store, config } = service;
  return {
    missed: await providersMissed(store, { phone, since: now - hours(1) }),
    rates: await providerRates(store, { way, country: countryOf(phone), since: now - lately, now }),
    pay: (provider: string) =>
      payFor(service, { visitor, units: priceOf(config.CONFIRMATION_PRICES, { provider, way }) }),
  };
}

/** The text of a voice call or a message. */
async function textFor(
  { callTexts }: Service,
  { way, locale, code, phone }: Pick<CallPlan, 'way' | 'locale' | 'code' | 'phone'>,
) {
  if (way === 'voice') return { introduction: await callTexts.introduction(locale) };
  if (way !== 'sms') return {};
  return { message: await callTexts.message({ language: locale, code, country: countryOf(phone) }) };
}

/** Counts the calls that may ring in addition to the requested one, from providers that did not respond in time. */
async function countRinging({ store, now }: Service, request: LocalizedCallRequest, times: number): Promise<void> {
  const key = groupKey(request);
  if (key !== undefined) await countAdditionalHits(store, { key, times, at: now() });
}

function expectedResult(service: Service, { id, done }: { id: string; done: PlacedCall }) {
  const { provider, placed, code } = done;
  if (placed.kind === 'checked' || placed.kind === 'awaited') {
    const { reference } = placed;
    return { provider, proof: null, reference, number: placed.kind === 'awaited' ? placed.number : null };
  }
  const digits = placed.kind === 'theirs' ? placed.code : code;
  const reference = placed.kind === 'ours' ? (placed.reference ?? null) : null;
  return { provider, proof: macOfCode(service.keyring.calls[0] as Buffer, id, digits), reference, number: null };
}

/** Another browser is waiting for a call from the number. */
class NumberInUse extends Error {}

/** This browser is already waiting for it: with another attempt, or because of a concurrent request. */
class AlreadyWaiting extends Error {
  readonly wait: PhoneCallsTable;
  constructor(wait: PhoneCallsTable) {
    super('already waiting');
    this.wait = wait;
  }
}

/**
 * A wait belongs to the browser that began it: a call from that phone must not confirm the page of someone who shares
 * the IP address or knows the number. Throws `NumberInUse` or `AlreadyWaiting` while such a call may still arrive.
 */
async function requireNoOtherWait(
  store: Store,
  { phone, way, browser, now }: Pick<CallRequest, 'phone' | 'way' | 'browser'> & { now: number },
): Promise<void> {
  if (way !== 'reverse') return;
  const wait = await findReverseWait(store, { phone, now });
  if (!wait) return;
  if (wait.browser !== browser) throw new NumberInUse();
  if (wait.expires_at > now && wait.number !== null) throw new AlreadyWaiting(wait);
}

interface RemainingWaysQuery extends Omit<CallRequest, 'way'> {
  readonly locale: LanguageCode;
}

/** The ways available to the user now, in the operator's order. Counts nothing. */
async function waysLeft(
  service: Service,
  { besides, ...request }: RemainingWaysQuery & { readonly besides: readonly CallWay[] },
): Promise<ConfirmationWay[]> {
  const left: ConfirmationWay[] = [];
  for (const way of offeredWays(service.config, service.calls.ways)) {
    if (way === 'mail' || (!besides.includes(way) && (await mayAskFor(service, { ...request, way })))) left.push(way);
  }
  return left;
}

async function mayAskFor(service: Service, request: RemainingWaysQuery & { readonly way: CallWay }): Promise<boolean> {
  const { way, phone, browser } = request;
  const now = service.now();
  if (service.calls.providersFor(way, request).length === 0) return false;
  if (way === 'reverse') {
    const wait = await findReverseWait(service.store, { phone, now });
    if (wait) return wait.browser === browser;
  }
  return (await callFreeAt(service, request)) <= now && (await budgetFreeAt(service, request)) <= now;
}
