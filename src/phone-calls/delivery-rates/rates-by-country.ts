import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { days } from '../../contract/durations.ts';
import type { CallOutcome } from '../../store/calls/call-outcomes.ts';

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

export interface RateDrop {
  readonly country: string;
  /** Shares of placed calls that were confirmed, 0 to 1. */
  readonly before: number;
  readonly now: number;
}

/** Fewer calls than this are too few to estimate a rate. */
const enough = 10;

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
