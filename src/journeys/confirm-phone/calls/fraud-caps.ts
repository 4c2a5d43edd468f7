import { days } from '../../../contract/durations.ts';
import { countryOf } from '../../../phone-calls/delivery-rates/rates-by-country.ts';
import type { Service } from '../../../server/service.ts';
import type { Store } from '../../../store/database.ts';
import { limitKey, weeklyKey } from '../../../store/rate-limit-keys.ts';
import {
  countAdditionalHits,
  countRequest,
  type RateLimit,
  refundHits,
  unitsUsedSince,
} from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';

/**
 * Against toll fraud (https://owasp.org/www-community/attacks/SMS_Pumping): an attacker who earns from calls requests
 * many to one range or country and confirms none. Each confirmation allows this many further calls there.
 */
const perConfirmation = 4;
/** Upper bound of a range, in multiples of its cap: a range has ten thousand numbers. */
const mostOfPrefix = 10;
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

const widestOf = ({ source, paidNetworks }: Visitor): string => paidNetworks.at(-1)?.name ?? source;

function capsOf({ config }: Pick<Service, 'config'>, { phone, visitor }: CalledNumber): Cap[] {
  const { CALLS_PER_PREFIX, CALLS_PER_COUNTRY, CALLS_PER_NETWORK, CALL_COUNTRIES } = config;
  const country = countryOf(phone);
  const isNamed = CALL_COUNTRIES.includes(country);
  const ofCountry = CALLS_PER_COUNTRY ?? (isNamed ? namedCountry : anyCountry);
  return [
    {
      key: weeklyKey('prefix', phone.slice(0, -4)),
      calls: CALLS_PER_PREFIX,
      atMost: CALLS_PER_PREFIX * mostOfPrefix,
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
      const confirmed = await unitsUsedSince(store, { key: confirmedKey(key), since: now - span });
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
