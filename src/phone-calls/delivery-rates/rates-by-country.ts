import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { days } from '../../contract/durations.ts';
import type { CallOutcome } from '../../store/calls/call-outcomes.ts';

/** How it goes with one provider, in one way, to the numbers of one country. */
export interface CountryRate {
  /** `none` where nobody placed the call. */
  readonly provider: string;
  readonly way: string;
  /** ISO 3166, `??` for a number of none. */
  readonly country: string;
  readonly asked: number;
  readonly placed: number;
  readonly confirmed: number;
  /** Of the confirmed, from asking to confirming, in milliseconds. */
  readonly median: number | undefined;
}

/** ISO 3166, `??` for a number of none. */
export const countryOf = (phone: string): string => parsePhoneNumberFromString(phone)?.country ?? '??';
const wasPlaced = ({ state }: CallOutcome): boolean => state === 'placed' || state === 'confirmed';

/** The most asked first. */
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
  /** Shares of the placed that were confirmed, 0 to 1. */
  readonly before: number;
  readonly now: number;
}

/** Fewer than these say nothing of a rate. */
const enough = 10;

/** Countries whose calls of the last day were confirmed at most half as often as those of the days before. */
export function findRateDrops(outcomes: readonly CallOutcome[], now: number): RateDrop[] {
  // One that still may be confirmed is no failure.
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
