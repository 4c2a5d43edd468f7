import { days, seconds } from '../../contract/units.ts';
import { type CountryRate, ratesByCountry } from '../../phone-calls/delivery-rates.ts';
import { budgetOf } from '../../phone-calls/prices.ts';
import type { Service } from '../../server/service.ts';
import { callOutcomes } from '../../store/calls/call-outcomes.ts';
import { budgetKey, unitsUsed } from '../../store/rate-limits.ts';

/** In days; calls are deleted after that. */
export const callsKept = 7;

interface Asked extends Pick<Service, 'store' | 'config'> {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How many calls and messages of the last days were confirmed, by provider, method and country, and what they cost. */
export async function callRates({ store, config, now }: Asked, count: number) {
  const rates = ratesByCountry(await callOutcomes(store, { since: now - days(count) }));
  const spent = await unitsUsed(store, { key: budgetKey, now, within: days(1) });
  return { calls: rates.map(asData), budget: { spent, of: budgetOf(config) } };
}

const asData = ({ median, ...rate }: CountryRate) => ({
  ...rate,
  median_seconds: median === undefined ? null : Math.round(median / seconds(1)),
});
