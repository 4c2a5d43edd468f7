import type { CallWay, ConfirmationWay } from '../../../contract/call-ways.ts';
import { days, hours, seconds } from '../../../contract/units.ts';
import { sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { accountsOfDevice, deviceLifetime } from '../../../store/access/devices.ts';
import type { Store, StoreTransaction } from '../../../store/database.ts';
import {
  countRequestInTransaction,
  limitKey,
  type RateLimit,
  type RateLimitResult,
  rateLimitsFreeAt,
} from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { limitsAgainstFraud } from './call-budget.ts';

/** The requester of a call, as far as their browser identifies them. */
export interface Caller {
  readonly visitor: Visitor;
  /** SHA-256 of the cookie that owns a reverse wait. */
  readonly browser: string;
  /** An account that this browser has signed in to; undefined for strangers. */
  readonly owner?: Owner | undefined;
}

export interface Owner {
  readonly accountId: string;
  /** Whether the account has confirmed the called number as its own. */
  readonly hasNumber: boolean;
}

/**
 * The account of a known device that requests a call: one that has confirmed that number, or one with a confirmed email
 * address. Requests of strangers for the number do not count against it. Anyone can give a number without confirming it.
 */
export async function ownerOf(
  { store, now }: Service,
  { deviceToken, phone }: { deviceToken: string | undefined; phone: string },
): Promise<Owner | undefined> {
  if (deviceToken === undefined) return undefined;
  const known = await accountsOfDevice(store, { tokenHash: sha256(deviceToken), since: now() - deviceLifetime });
  const own = known.find((account) => account.phone === phone && account.phone_confirmed_at !== null);
  const proven = own ?? known.find(({ email_proven_at }) => email_proven_at !== null);
  return proven && { accountId: proven.id, hasNumber: own !== undefined };
}

/** A rate limit is reached; `wait` is the time until it allows a call, in milliseconds. */
export class TooManyCalls extends Error {
  readonly wait: number;
  /** Other ways that are available to the user now. */
  readonly ways?: readonly ConfirmationWay[];
  constructor(wait: number, ways?: readonly ConfirmationWay[]) {
    super('too many calls');
    this.wait = wait;
    if (ways) this.ways = ways;
  }
}

export interface CallRequest extends Caller {
  readonly phone: string;
  readonly way: CallWay;
}

/** Limits whose hits are refunded if no phone can ring, and limits whose hits are kept. */
interface CallLimits {
  readonly returned: readonly RateLimit[];
  readonly kept: readonly RateLimit[];
  /** Wrong digits: checked here, counted elsewhere. */
  readonly guesses: readonly RateLimit[];
}

/**
 * Rate limits of one number, one address and the networks around it. `call-budget.ts` counts the cost.
 */
async function limitsOf(
  service: Service,
  { store, now, ...request }: CallRequest & { store: Store; now: number },
): Promise<CallLimits> {
  const { phone, way, visitor } = request;
  const { config } = service;
  const isAwaited = way === 'reverse';
  return {
    returned: [
      ...(await limitsOfNumber(store, request, now)),
      // Toll fraud earns nothing from calls that users place themselves.
      ...(isAwaited ? [] : await limitsAgainstFraud(service, { store, now, phone, visitor })),
      ...limitsOfAddress(service, visitor),
    ],
    kept: [
      attemptsAt(request),
      { key: limitKey('phone-attempts-of', visitor.source), limit: 4 * config.CALLS_PER_ADDRESS, within: hours(1) },
    ],
    guesses: isAwaited ? [] : [digitTriesLimit({ phone, source: visitor.source }), triesAt(request)],
  };
}

function limitsOfAddress({ config }: Service, { source, paidNetworks }: Visitor): RateLimit[] {
  const hourly = (name: string, limit: number) => ({ key: limitKey('phone-address', name), limit, within: hours(1) });
  return [
    hourly(source, config.CALLS_PER_ADDRESS),
    ...paidNetworks.map(({ name, sources }) => hourly(name, config.CALLS_PER_ADDRESS * sources)),
  ];
}

/**
 * Counts a call and begins it in the same transaction, or throws `TooManyCalls`. Returns the hits to refund if no phone
 * can ring (`store/rate-limits.ts`).
 */
export async function countCall(
  service: Service,
  request: CallRequest,
  begin: (trx: StoreTransaction) => Promise<void>,
): Promise<readonly string[]> {
  const now = service.now();
  const counted = await service.store.transaction().execute(async (trx) => {
    const { returned, kept, guesses } = await limitsOf(service, { ...request, store: trx, now });
    const onlyLookedAt = guesses.map((limit) => ({ ...limit, onlyChecked: true as const }));
    const outcome = await countRequestInTransaction(trx, [...returned, ...kept, ...onlyLookedAt], now);
    if (outcome.state === 'refused') return outcome;
    await begin(trx);
    return { ...outcome, hits: outcome.hits.slice(0, -kept.length) };
  });
  if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
  return counted.hits;
}

/** When the limits allow such a call; `now` or earlier if they already do. Counts nothing. */
export async function callFreeAt(service: Service, request: CallRequest): Promise<number> {
  const { store } = service;
  const now = service.now();
  const { returned, kept, guesses } = await limitsOf(service, { ...request, store, now });
  return rateLimitsFreeAt(store, [...returned, ...kept, ...guesses], now);
}

/** To one address, which may be a stranger's. */
const maxMails = { hour: 3, day: 5 };

/** The emailed link costs no call, so the limits above do not apply to it. */
export function countConfirmationEmail(
  trx: StoreTransaction,
  { config, now }: Service,
  { emailHash, visitor }: { emailHash: string; visitor: Visitor },
): Promise<RateLimitResult> {
  const hourly = (name: string, limit: number) => ({ key: limitKey('phone-mail', name), limit, within: hours(1) });
  return countRequestInTransaction(
    trx,
    [
      hourly(emailHash, maxMails.hour),
      { ...hourly(emailHash, maxMails.day), within: days(1), onlyChecked: true },
      hourly(visitor.source, config.CALLS_PER_ADDRESS),
      ...visitor.networks.map(({ name, sources }) => hourly(name, config.CALLS_PER_ADDRESS * sources)),
    ],
    now(),
  );
}

/** Pause between two calls to a number by the same method. */
export const callResendPause = seconds(60);

/** Rings, and likewise messages, that a number gets in an hour. */
const perHour = 3;
/** The same limit for all accounts together that request calls to a number of someone else. */
const perHourOfAccounts = 6;
const attemptsPerHour = 10;
const unlimited = 1000;

type Group = 'rings' | 'messages';

/** Rings and messages disturb the owner of a number and have separate limits; with `reverse` the user calls. */
const groups: Readonly<Record<CallWay, Group | undefined>> = {
  ring: 'rings',
  voice: 'rings',
  whatsapp: 'messages',
  telegram: 'messages',
  sms: 'messages',
  reverse: undefined,
};

interface Number {
  readonly phone: string;
  readonly way: CallWay;
  readonly owner?: Owner | undefined;
}

/** Strangers share the limits of a number; each account whose device requests the call has its own. */
const laneOf = ({ phone, owner }: Omit<Number, 'way'>): [string, ...string[]] =>
  owner ? [phone, owner.accountId] : [phone];

/** The key that counts the group's rings or messages; undefined for reverse calls. */
export function groupKey(number: Number): string | undefined {
  const group = groups[number.way];
  return group && limitKey(`phone-${group}`, ...laneOf(number));
}

/** Rate limits of one number; their hits are refunded if no phone can ring. */
async function limitsOfNumber(store: Store, number: Number, now: number): Promise<RateLimit[]> {
  const { way, owner, phone } = number;
  const lane = laneOf(number);
  const method: RateLimit = { key: limitKey('phone-way', ...lane, way), limit: attemptsPerHour, within: hours(1) };
  const limits = [{ key: limitKey('phone-pause', ...lane, way), limit: 1, within: callResendPause }, method];
  const kind = groups[way];
  const key = groupKey(number);
  if (kind === undefined || key === undefined) return limits;
  // Each way works once an hour, even if other ways have used up the group's limit.
  const isFirst = (await rateLimitsFreeAt(store, [{ ...method, limit: 1 }], now)) <= now;
  const group = { key, limit: isFirst ? unlimited : perHour, within: hours(1) };
  if (owner === undefined || owner.hasNumber) return [...limits, group];
  const ofAccounts = { key: limitKey(`phone-accounts-${kind}`, phone), limit: perHourOfAccounts, within: hours(1) };
  return [...limits, group, ofAccounts];
}

/** Never refunded, so that refused calls do not allow endless attempts. */
const attemptsAt = (number: Number): RateLimit => ({
  key: limitKey('phone-attempts', ...laneOf(number), number.way),
  limit: attemptsPerHour,
  within: hours(1),
});

interface Guessed {
  readonly phone: string;
  /** Source of the request for the call (`Visitor.source`). */
  readonly source: string | null;
}

/** Wrong digits of one source for a number across all calls, so that a new call does not allow more guesses. */
export const digitTriesLimit = ({ phone, source }: Guessed): RateLimit => ({
  key: limitKey('phone-tries', phone, source ?? ''),
  limit: 9,
  within: days(1),
});

/**
 * Wrong digits for a number from all sources: many addresses guess no faster than two. Its owner has a separate limit.
 */
export const triesAt = ({ phone, owner }: Omit<Number, 'way'>): RateLimit => ({
  key: limitKey('phone-wrong', ...laneOf(owner?.hasNumber ? { phone, owner } : { phone })),
  limit: 18,
  within: days(1),
});

/** Limits checks at the provider, including those that failed because it did not respond. */
export const statusChecksLimit = (phone: string): RateLimit => ({
  key: limitKey('phone-checks', phone),
  limit: 30,
  within: hours(1),
});
