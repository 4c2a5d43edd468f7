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

/** Share of the daily budget, and of each cap, that is reserved for those who had no calls: others cannot lock them out. */
const reserved = 0.2;
/**
 * One source's share of the daily budget, and its minimum in attempts; a network shared by many customers gets double.
 */
const shareOfSource = 0.05;
const minOfSource = 5;

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
  const share = Math.max(minOfSource * units, Math.floor(budget * shareOfSource));
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
/** Calls in 24 hours after which a network is no newcomer to a cap: a person may need a second one. */
const callsOfNewcomer = 2;
/** A network's part of a cap, so that one alone cannot close a range or a country. */
const partOfNetwork = 0.5;
/** Cap for all unnamed countries together, in multiples of one such country's cap. */
const elsewhere = 2;

interface Cap {
  /** Key of the rate limit. */
  readonly key: string;
  /** Calls allowed in 24 hours without a confirmation. */
  readonly calls: number;
  /** Upper bound for 24 hours, regardless of confirmations. */
  readonly max?: number;
  /** Visitors of all networks share it. */
  readonly isShared: boolean;
}

interface CalledNumber {
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
      max: CALLS_PER_PREFIX * prefixMultiple,
      isShared: true,
    },
    { key: weeklyKey('country', country), calls: ofCountry, isShared: true },
    { key: weeklyKey('network', widestOf(visitor)), calls: CALLS_PER_NETWORK, isShared: false },
    ...(isNamed ? [] : [{ key: weeklyKey('elsewhere'), calls: ofCountry * elsewhere, isShared: true }]),
  ];
}

const confirmedKey = (key: string): string => `${key}:confirmed`;

/**
 * Rate limits of a range, a country and a network, raised by confirmations. Of a range and a country, each network gets a
 * part, and some is kept for networks without calls there.
 */
export async function limitsAgainstFraud(
  service: Pick<Service, 'config'>,
  { store, now, ...called }: CalledNumber & { store: Store; now: number },
): Promise<RateLimit[]> {
  const limits: RateLimit[] = [];
  const network = widestOf(called.visitor);
  for (const { key, calls, isShared, max = Number.MAX_SAFE_INTEGER } of capsOf(service, called)) {
    const ofNetwork = { key: `${key}:by:${network}`, within: days(1) };
    const isNewcomer = !isShared || (await unitsUsed(store, { ...ofNetwork, now })) < callsOfNewcomer;
    const within = async (span: number, base: number) => {
      const confirmed = await unitsUsed(store, { key: confirmedKey(key), now, within: span });
      const whole = Math.min(base + perConfirmation * confirmed, span > days(1) ? Number.MAX_SAFE_INTEGER : max);
      return { whole, limit: { key, within: span, limit: isNewcomer ? whole : Math.floor(whole * (1 - reserved)) } };
    };
    const day = await within(days(1), calls);
    const week = await within(days(7), calls * daysOfWeek);
    limits.push(day.limit, { ...week.limit, onlyChecked: true });
    if (isShared) limits.push({ ...ofNetwork, limit: Math.max(callsOfNewcomer, Math.ceil(day.whole * partOfNetwork)) });
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
