import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { days } from '../contract/units.ts';
import type { CallOutcome, ProviderRate } from '../store/calls/call-outcomes.ts';

/** Fewer calls than this are too few to estimate a rate. */
const enough = 10;
/** Share of first attempts that each other provider gets, so that we notice its recovery. */
const leastShare = 0.1;
/** Limit for the shares of all other providers together. */
const maxShareOfOthers = 0.3;

interface OrderingInput {
  /** Rates of the last hours, for one country. */
  readonly rates: readonly ProviderRate[];
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

/**
 * Orders providers by the share of their calls that was confirmed; providers with too few calls keep the operator's
 * order. Occasionally puts another provider first, to measure it.
 */
export function orderProviders<P extends { readonly name: string }>(
  providers: readonly P[],
  { rates, random }: OrderingInput,
): P[] {
  const known = new Map(
    rates
      .filter(({ placed }) => placed >= enough)
      .map(({ provider, placed, confirmed }) => [provider, confirmed / placed]),
  );
  const rateOf = ({ name }: P): number => known.get(name) ?? 0;
  const ranked = providers.filter(({ name }) => known.has(name)).sort((one, other) => rateOf(other) - rateOf(one));
  if (ranked.length === 0) return [...providers];
  // Providers with too few calls keep the place that the operator gave them.
  const [first, ...others] = providers.map((provider) => (known.has(provider.name) ? ranked.shift() : provider) as P);
  const share = Math.min(leastShare, maxShareOfOthers / others.length);
  const preferred = others[Math.floor(random() / share)];
  return [preferred, first, ...others.filter((other) => other !== preferred)].flatMap((provider) => provider ?? []);
}

/** A provider whose call did not reach this phone is likely to fail again. */
export const missedProvidersLast = <P extends { readonly name: string }>(
  providers: readonly P[],
  missed: readonly string[],
): P[] => [false, true].flatMap((last) => providers.filter(({ name }) => missed.includes(name) === last));

/** Confirmation rate of one provider and way for the numbers of one country. */
export interface CountryRate {
  /** `none` if no provider placed the call. */
  readonly provider: string;
  readonly way: string;
  /** ISO 3166; `??` if the number has no country. */
  readonly country: string;
  readonly asked: number;
  readonly placed: number;
  readonly confirmed: number;
  /** Median time from request to confirmation, in milliseconds. */
  readonly median: number | undefined;
}

/** ISO 3166; `??` if the number has no country. */
export const countryOf = (phone: string): string => parsePhoneNumberFromString(phone)?.country ?? '??';
const wasPlaced = ({ state }: CallOutcome): boolean => state === 'placed' || state === 'confirmed';

/** Sorted by requests, most first. */
export function ratesByCountry(outcomes: readonly CallOutcome[]): CountryRate[] {
  const groups = Map.groupBy(
    outcomes,
    ({ provider, way, phone }) => `${provider ?? 'none'} ${way} ${countryOf(phone)}`,
  );
  return [...groups]
    .map(([key, calls]) => {
      const [provider = '', way = '', country = ''] = key.split(' ');
      const took = calls.flatMap(({ created_at, confirmed_at }) =>
        confirmed_at === null ? [] : confirmed_at - created_at,
      );
      return {
        ...{ provider, way, country, asked: calls.length },
        placed: calls.filter(wasPlaced).length,
        confirmed: took.length,
        median: took.toSorted((one, other) => one - other)[Math.floor(took.length / 2)],
      };
    })
    .toSorted((one, other) => other.asked - one.asked || one.provider.localeCompare(other.provider));
}

interface RateDrop {
  readonly country: string;
  /** Shares of placed calls that were confirmed, 0 to 1. */
  readonly before: number;
  readonly now: number;
}

/** Countries whose confirmation rate of the last day is at most half of that of the days before. */
export function findRateDrops(outcomes: readonly CallOutcome[], now: number): RateDrop[] {
  // Excludes calls that may still be confirmed.
  const over = outcomes.filter((call) => wasPlaced(call) && (call.state === 'confirmed' || call.expires_at <= now));
  return [...Map.groupBy(over, ({ phone }) => countryOf(phone))].flatMap(([country, calls]) => {
    const [recent, earlier] = [true, false].map((isRecent) =>
      calls.filter((one) => one.created_at > now - days(1) === isRecent),
    );
    if (!recent || !earlier || recent.length < enough || earlier.length < enough) return [];
    const [nowRate, before] = [confirmedShare(recent), confirmedShare(earlier)];
    return nowRate <= before / 2 && before > 0 ? [{ country, before, now: nowRate }] : [];
  });
}

const confirmedShare = (calls: readonly CallOutcome[]): number =>
  calls.filter(({ state }) => state === 'confirmed').length / calls.length;
