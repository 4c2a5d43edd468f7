import { randomInt, randomUUID } from 'node:crypto';
import { callLifetime } from '../../../contract/call-ways.ts';
import { hours } from '../../../contract/durations.ts';
import { phoneDigits, sentDigits } from '../../../contract/field-sizes.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { refuse } from '../../../contract/refuse.ts';
import type { PlacedCall } from '../../../phone-calls/calls.ts';
import { countryOf } from '../../../phone-calls/delivery-rates/rates-by-country.ts';
import { priceOf } from '../../../phone-calls/prices.ts';
import { CallRefused } from '../../../phone-calls/provider.ts';
import { macOfCode } from '../../../security/code-macs.ts';
import { randomSecret } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { providerRates } from '../../../store/calls/call-outcomes.ts';
import { beginCall, callFailed, callWasPlaced, providersMissed } from '../../../store/calls/phone-calls.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { countAdditionalHits, refundHits } from '../../../store/rate-limits.ts';
import { withinBudget } from '../../../store/time-budget.ts';
import { requestCall as contract } from '../confirm-phone.contract.ts';
import { budgetFreeAt, payFor } from './call-budget.ts';
import { type CallRequest, countCall, TooManyCalls } from './call-rate-limits.ts';
import { groupKey } from './number-rate-limits.ts';
import { keptAttempt, triesPerCall, waitingFor } from './repeated-request.ts';
import { requireNoOtherWait } from './reverse-wait.ts';
import { waysLeft } from './ways-left.ts';

/** `phone` is in E.164. */
export interface LocalizedCallRequest extends CallRequest {
  readonly locale: LanguageCode;
  readonly attempt?: string | undefined;
}

/**
 * Places the call with the first provider that accepts it. Throws `TooManyCalls`, `NumberInUse`, `AlreadyWaiting` or a
 * refusal with `phone_invalid` or `call_failed`.
 */
export async function placeCall(service: Service, request: LocalizedCallRequest) {
  const { phone, locale, way, visitor } = request;
  const now = service.now();
  await requireBudget(service, request);
  const id = randomSecret(128);
  // The transaction of the count also writes the call, so a concurrent request that the limit refuses finds it.
  const hits = await countCall(service, request, async (trx) => {
    await requireNoOtherWait(trx, { ...request, now });
    await begin(trx, { ...request, id, now });
  });
  const code = randomDigits(phoneDigits);
  const longCode = randomDigits(sentDigits);
  const prepared = await prepare(service, { ...request, now, code: longCode }).catch(async (error: unknown) => {
    // No provider got a request: our own error must not use up the number's limits.
    await withinBudget(async () => {
      await refundHits(service.store, hits);
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
    // The phone rings: recording the call must not depend on the remaining time of the request.
    await withinBudget(async () => {
      const { hits = [] } = done.refundable ?? {};
      const charge = hits.length > 0 ? JSON.stringify(hits) : null;
      await callWasPlaced(service.store, { id, digits, charge, ...expectedAnswer(service, { id, done }) });
      await countRinging(service, request, done.mayAlsoRing);
    }, service.waitsFor);
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await callFailed(service.store, id);
    if (error.mayRing > 0) await countRinging(service, request, error.mayRing - 1);
    // A charged attempt counts even if nothing arrives.
    else if (!error.charged) await refundHits(service.store, hits);
    // Concurrent requests spent the rest of the budget.
    if (error.reason === 'budget') await requireBudget(service, request);
    const code = error.reason === 'number' ? 'phone_invalid' : 'call_failed';
    throw refuse(contract, code, { ways: await waysLeft(service, { ...request, besides: [way] }), cause: error });
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

function expectedAnswer(service: Service, { id, done }: { id: string; done: PlacedCall }) {
  const { provider, placed, code } = done;
  if (placed.kind === 'checked' || placed.kind === 'awaited') {
    const { reference } = placed;
    return { provider, proof: null, reference, number: placed.kind === 'awaited' ? placed.number : null };
  }
  const digits = placed.kind === 'theirs' ? placed.code : code;
  const reference = placed.kind === 'ours' ? (placed.reference ?? null) : null;
  return { provider, proof: macOfCode(service.keyring.calls[0] as Buffer, id, digits), reference, number: null };
}
