import { days, seconds } from '../contract/durations.ts';
import { spentToday } from '../journeys/confirm-phone/calls/call-budget.ts';
import { type CountryRate, findRateDrops, ratesByCountry } from '../phone-calls/delivery-rates/rates-by-country.ts';
import { budgetOf } from '../phone-calls/prices.ts';
import { callOutcomes } from '../store/calls/call-outcomes.ts';
import type { Store } from '../store/database.ts';
import { type StoreCommand, UsageError } from './command.ts';
import type { CheckResult } from './doctor/finding.ts';
import { inColumns } from './readable.ts';

/** As long as calls are kept. */
const longest = 7;

export const callsList: StoreCommand = {
  name: ['calls'],
  usage: 'calls [--days 1-7]',
  summary: 'show which calls and messages arrive, by provider, way and country, and what of the day’s budget is spent',
  options: { days: { type: 'string' } },
  async run({ store, config, now, positionals, options }) {
    const asked = Number(options.days ?? longest);
    if (positionals.length > 0 || !Number.isInteger(asked) || asked < 1 || asked > longest)
      throw new UsageError(`calls: --days takes 1 to ${longest}`);
    const arrivals = ratesByCountry(await callOutcomes(store, { since: now - days(asked) }));
    const budget = { spent: await spentToday(store, now), of: budgetOf(config) };
    return {
      text: `${table(arrivals)}\n\nSpent in the last 24 hours: ${budget.spent} of ${budget.of} units.`,
      data: { days: asked, calls: arrivals.map(asData), budget },
    };
  },
};

const inSeconds = (median: number | undefined): number | null =>
  median === undefined ? null : Math.round(median / seconds(1));

const asData = ({ median, ...arrivals }: CountryRate) => ({ ...arrivals, median_seconds: inSeconds(median) });

const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${Math.round((100 * part) / whole)} %`);

function table(arrivals: readonly CountryRate[]): string {
  if (arrivals.length === 0) return 'Nobody asked for a call.';
  const rows = [
    ['provider', 'way', 'country', 'asked', 'placed', 'confirmed', 'of the placed', 'median'],
    ...arrivals.map(({ provider, way, country, asked, placed, confirmed, median }) => [
      ...[provider, way, country, String(asked), String(placed), String(confirmed), share(confirmed, placed)],
      median === undefined ? '-' : `${inSeconds(median)} s`,
    ]),
  ];
  return inColumns(rows);
}

/** For the doctor: whether somewhere far fewer are confirmed than usual. */
export async function examineArrivals(store: Store, now: number): Promise<CheckResult> {
  const outcomes = await callOutcomes(store, { since: now - days(longest) });
  const falls = findRateDrops(outcomes, now).map(
    ({ country, before, now: rate }) => `${country} from ${percent(before)} to ${percent(rate)}`,
  );
  if (falls.length > 0)
    return { warning: `far fewer are confirmed since yesterday: ${falls.join(', ')}; see vestibule calls --days 1` };
  return outcomes.length === 0 ? 'nobody asked for one within a week' : `${outcomes.length} within a week`;
}

const percent = (rate: number): string => `${Math.round(100 * rate)} %`;
