import type { CallWay } from '../../../contract/call-ways.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { days } from '../../../contract/units.ts';
import type { CallCharge } from '../../../phone-calls/calls.ts';
import { countryOf } from '../../../phone-calls/delivery-rates.ts';
import { budgetOf, priceOf } from '../../../phone-calls/prices.ts';
import type { Service } from '../../../server/service.ts';
import type { Store } from '../../../store/database.ts';
import {
  budgetKey,
  countAdditionalHits,
  countRequest,
  limitKey,
  type RateLimit,
  rateLimitsFreeAt,
  refundHits,
  unitsUsed,
  weeklyKey,
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
  unitsUsed(store, { key: budgetKey, now, within: days(1) });

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
    .providersFor(way, to)
    .map((provider) => priceOf(service.config.CONFIRMATION_PRICES, { provider, way }));
  const units = Math.min(...prices);
  if (units === 0 || prices.length === 0) return 0;
  return rateLimitsFreeAt(service.store, await limitsOfDay(service, { visitor, units }), service.now());
}

/**
 * Against toll fraud (https://owasp.org/www-community/attacks/SMS_Pumping): an attacker who earns from calls requests
 * many to one range or country and confirms none. Each confirmation allows this many further calls there.
 */
const perConfirmation = 4;
/** Upper bound of a range, in multiples of its cap: a range has ten thousand numbers. */
const prefixMultiple = 10;
/** A week without confirmations allows the calls of this many days. */
const daysOfWeek = 2;
const namedCountry = 200;
const anyCountry = 30;
/** Cap for all unnamed countries together, in multiples of one such country's cap. */
const elsewhere = 2;

interface Cap {
  /** Key of the rate limit. */
  readonly key: string;
  /** Calls allowed in 24 hours without a confirmation. */
  readonly calls: number;
  /** Upper bound, regardless of confirmations. */
  readonly atMost?: number;
}

interface CalledNumber {
  /** E.164. */
  readonly phone: string;
  readonly visitor: Visitor;
}

function capsOf({ config }: Pick<Service, 'config'>, { phone, visitor }: CalledNumber): Cap[] {
  const { CALLS_PER_PREFIX, CALLS_PER_COUNTRY, CALLS_PER_NETWORK, CALL_COUNTRIES } = config;
  const country = countryOf(phone);
  const isNamed = CALL_COUNTRIES.includes(country);
  const ofCountry = CALLS_PER_COUNTRY ?? (isNamed ? namedCountry : anyCountry);
  return [
    {
      key: weeklyKey('prefix', phone.slice(0, -4)),
      calls: CALLS_PER_PREFIX,
      atMost: CALLS_PER_PREFIX * prefixMultiple,
    },
    { key: weeklyKey('country', country), calls: ofCountry },
    { key: weeklyKey('network', widestOf(visitor)), calls: CALLS_PER_NETWORK },
    ...(isNamed ? [] : [{ key: weeklyKey('elsewhere'), calls: ofCountry * elsewhere }]),
  ];
}

const confirmedKey = (key: string): string => `${key}:confirmed`;

/** Rate limits of a range, a country and a network, raised by confirmations. */
export async function limitsAgainstFraud(
  service: Pick<Service, 'config'>,
  { store, now, ...called }: CalledNumber & { store: Store; now: number },
): Promise<RateLimit[]> {
  const limits: RateLimit[] = [];
  for (const { key, calls, atMost = Number.MAX_SAFE_INTEGER } of capsOf(service, called)) {
    const within = async (span: number, base: number) => {
      const confirmed = await unitsUsed(store, { key: confirmedKey(key), now, within: span });
      return { key, within: span, limit: base + perConfirmation * confirmed };
    };
    const day = await within(days(1), calls);
    limits.push({ ...day, limit: Math.min(day.limit, atMost) });
    limits.push({ ...(await within(days(7), calls * daysOfWeek)), onlyChecked: true });
  }
  return limits;
}

/** Counts a confirmation, once a day per number: a fraudster's own phone does not unlock a country. */
export async function countConfirmation(service: Service, called: CalledNumber): Promise<void> {
  const at = service.now();
  const once = { key: limitKey('phone-confirmed', called.phone), limit: 1, within: days(1) };
  const counted = await countRequest(service.store, [once], at);
  if (counted.state === 'refused') return;
  try {
    for (const { key } of capsOf(service, called))
      await countAdditionalHits(service.store, { key: confirmedKey(key), times: 1, at });
  } catch (error) {
    await refundHits(service.store, counted.hits).catch(() => undefined);
    throw error;
  }
}
