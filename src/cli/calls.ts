import { days, seconds } from '../contract/units.ts';
import { spentToday } from '../journeys/confirm-phone/calls/call-budget.ts';
import { type CountryRate, findRateDrops, ratesByCountry } from '../phone-calls/delivery-rates.ts';
import { budgetOf } from '../phone-calls/prices.ts';
import { callOutcomes } from '../store/calls/call-outcomes.ts';
import type { Store } from '../store/database.ts';
import { inColumns, type StoreCommand, UsageError } from './command.ts';
import type { CheckResult } from './doctor/finding.ts';

/** In days; calls are deleted after that. */
const longest = 7;

export const callsList: StoreCommand = {
  name: ['calls'],
  usage: 'calls [--days 1-7]',
  summary:
    'show how many calls and messages are confirmed, by provider, method and country, and how much of the daily budget is spent',
  example: 'calls --days 1',
  options: { days: { type: 'string', value: '1-7', help: 'how many days back; 7 if absent' } },
  async run({ store, config, now, positionals, options }) {
    const asked = Number(options.days ?? longest);
    if (positionals.length > 0 || !Number.isInteger(asked) || asked < 1 || asked > longest)
      throw new UsageError(`calls: --days must be 1 to ${longest}`);
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
  if (arrivals.length === 0) return 'No calls were requested.';
  const rows = [
    ['provider', 'method', 'country', 'requested', 'placed', 'confirmed', 'share', 'median'],
    ...arrivals.map(({ provider, way, country, asked, placed, confirmed, median }) => [
      ...[provider, way, country, String(asked), String(placed), String(confirmed), share(confirmed, placed)],
      median === undefined ? '-' : `${inSeconds(median)} s`,
    ]),
  ];
  return inColumns(rows);
}

/** For the doctor: warns of countries whose confirmation rate has dropped. */
export async function checkArrivals(store: Store, now: number): Promise<CheckResult> {
  const outcomes = await callOutcomes(store, { since: now - days(longest) });
  const falls = findRateDrops(outcomes, now).map(
    ({ country, before, now: rate }) => `${country} from ${percent(before)} to ${percent(rate)}`,
  );
  if (falls.length > 0)
    return {
      warning: `confirmation rates have dropped since yesterday: ${falls.join(', ')}; see vestibule calls --days 1`,
    };
  return outcomes.length === 0 ? 'none in the past week' : `${outcomes.length} in the past week`;
}

const percent = (rate: number): string => `${Math.round(100 * rate)} %`;
