import { callWays } from '../contract/call-ways.ts';
import { pairsLike } from '../contract/settings.ts';
import { callProviderNames } from './providers.ts';

/** Units by `provider/way`, or by `provider` for its other ways. */
export type Prices = Readonly<Record<string, number>>;

const dearest = 1_000_000;
const form = new RegExp(`^((?:${callProviderNames.join('|')})(?:/(?:${callWays.join('|')}))?):(\\d{1,7})$`);

/** `smsru/ring:1`; undefined for anything else. */
function readPrice(item: string): readonly [what: string, units: number] | undefined {
  const [, what, units] = form.exec(item) ?? [];
  return what !== undefined && Number(units) <= dearest ? [what, Number(units)] : undefined;
}

/** `CONFIRMATION_PRICES`: `smsru/ring:1,twilio:8`. */
export const priceList = pairsLike(
  readPrice,
  'must be prices in whole units, such as smsru/ring:1,twilio/sms:8, separated by commas',
);

const usual = 1;

/** Cost of one attempt, in units; 0 if it is free. */
export const priceOf = (prices: Prices, { provider, way }: { provider: string; way: string }): number =>
  prices[`${provider}/${way}`] ?? prices[provider] ?? usual;

interface Budget {
  readonly CONFIRMATION_BUDGET_PER_DAY?: number | undefined;
  readonly CALLS_PER_DAY: number;
}

/** Units that phone confirmations may cost in any 24 hours. */
export const budgetOf = ({ CONFIRMATION_BUDGET_PER_DAY, CALLS_PER_DAY }: Budget): number =>
  CONFIRMATION_BUDGET_PER_DAY ?? CALLS_PER_DAY;
