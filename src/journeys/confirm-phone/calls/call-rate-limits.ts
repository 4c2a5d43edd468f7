import type { CallWay, ConfirmationWay } from '../../../contract/call-ways.ts';
import { days, hours } from '../../../contract/durations.ts';
import type { Service } from '../../../server/service.ts';
import type { Store, StoreTransaction } from '../../../store/database.ts';
import { limitKey } from '../../../store/rate-limit-keys.ts';
import {
  countRequestInTransaction,
  type RateLimit,
  type RateLimitResult,
  rateLimitsFreeAt,
} from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import type { Caller } from './caller.ts';
import { limitsAgainstFraud } from './fraud-caps.ts';
import { attemptsAt, digitTriesLimit, limitsOfNumber, triesAt } from './number-rate-limits.ts';

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
const mostMails = { hour: 3, day: 5 };

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
      hourly(emailHash, mostMails.hour),
      { ...hourly(emailHash, mostMails.day), within: days(1), onlyChecked: true },
      hourly(visitor.source, config.CALLS_PER_ADDRESS),
      ...visitor.networks.map(({ name, sources }) => hourly(name, config.CALLS_PER_ADDRESS * sources)),
    ],
    now(),
  );
}
