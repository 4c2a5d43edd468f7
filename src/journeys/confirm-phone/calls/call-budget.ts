import type { CallWay } from '../../../contract/call-ways.ts';
import { days } from '../../../contract/durations.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import type { CallCharge } from '../../../phone-calls/calls.ts';
import { budgetOf, priceOf } from '../../../phone-calls/prices.ts';
import type { Service } from '../../../server/service.ts';
import type { Store } from '../../../store/database.ts';
import { budgetKey, limitKey } from '../../../store/rate-limit-keys.ts';
import {
  countRequest,
  type RateLimit,
  rateLimitsFreeAt,
  refundHits,
  unitsUsedSince,
} from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';

/** Share of the daily budget reserved for sources without calls that day, so that heavy users cannot lock them out. */
const reserved = 0.2;
/**
 * One source's share of the daily budget, and its minimum in attempts; a network shared by many customers gets double.
 */
const shareOfSource = 0.05;
const leastOfSource = 5;

/** Units spent in the last 24 hours. */
export const spentToday = (store: Store, now: number): Promise<number> =>
  unitsUsedSince(store, { key: budgetKey, since: now - days(1) });

interface CallCost {
  readonly visitor: Visitor;
  readonly units: number;
}

const daily = (name: string, limit: number): RateLimit => ({
  key: limitKey('phone-day', name),
  limit,
  within: days(1),
});

const widestOf = ({ source, paidNetworks }: Visitor): string => paidNetworks.at(-1)?.name ?? source;

/** The daily budget, and the share of one source. */
async function limitsOfDay(service: Service, { visitor, units }: CallCost): Promise<RateLimit[]> {
  const budget = budgetOf(service.config);
  const hadSome = (await rateLimitsFreeAt(service.store, [daily(widestOf(visitor), 1)], service.now())) > service.now();
  const share = Math.max(leastOfSource * units, Math.floor(budget * shareOfSource));
  const limits = [
    { key: budgetKey, limit: hadSome ? Math.ceil(budget * (1 - reserved)) : budget, within: days(1) },
    daily(visitor.source, share),
    ...visitor.paidNetworks.map(({ name }) => daily(name, share * 2)),
  ];
  return limits.map((limit) => ({ ...limit, units }));
}

const nothingPaid: CallCharge = { hits: [], giveBack: () => Promise.resolve() };

/** Charges an attempt before it is made; undefined if the daily budget does not cover it. */
export async function payFor(service: Service, attempt: CallCost): Promise<CallCharge | undefined> {
  if (attempt.units === 0) return nothingPaid;
  const counted = await countRequest(service.store, await limitsOfDay(service, attempt), service.now());
  if (counted.state === 'refused') return undefined;
  const { hits } = counted;
  return { hits, giveBack: async () => void (await refundHits(service.store, hits)) };
}

interface BudgetQuery {
  /** E.164. */
  readonly phone: string;
  readonly way: CallWay;
  readonly locale: LanguageCode;
  readonly visitor: Visitor;
}

/** When the budget covers the cheapest provider of a way; `now` or earlier if it already does. Counts nothing. */
export async function budgetFreeAt(service: Service, { way, visitor, ...to }: BudgetQuery): Promise<number> {
  const prices = service.calls
    .whoGoes(way, to)
    .map((provider) => priceOf(service.config.CONFIRMATION_PRICES, { provider, way }));
  const units = Math.min(...prices);
  if (units === 0 || prices.length === 0) return 0;
  return rateLimitsFreeAt(service.store, await limitsOfDay(service, { visitor, units }), service.now());
}
