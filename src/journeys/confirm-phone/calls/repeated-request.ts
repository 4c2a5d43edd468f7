import type { ConfirmationWay } from '../../../contract/call-ways.ts';
import { type Refusing, refuse } from '../../../contract/failures.ts';
import { phoneDigits, sentDigits } from '../../../contract/fields/field-sizes.ts';
import { minutes, seconds } from '../../../contract/units.ts';
import { sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { findChargedCalls, markLost, takeCharge } from '../../../store/calls/call-outcomes.ts';
import { confirmationLinkLifetime, isLinkAlive } from '../../../store/calls/confirmation-links.ts';
import { findRepeatedCall, isUsable, type PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import type { Store } from '../../../store/database.ts';
import { refundHits } from '../../../store/rate-limits.ts';
import { maxClockSkew } from '../../../store/wrong-clock.ts';
import { callResendPause } from './call-rate-limits.ts';

export const triesPerCall = 3;

type Digits = typeof phoneDigits | typeof sentDigits;

/** The data that a browser needs to wait for a call; durations in seconds. */
export const waitingFor = (call: string, lifetime: number) => ({
  call,
  digits: phoneDigits as Digits,
  expires_in: lifetime / 1000,
  resend_in: callResendPause / 1000,
  attempts_left: triesPerCall,
});

interface ConfirmationRequestKey {
  readonly phone: string;
  readonly way: ConfirmationWay;
  /** Recipient of a link. */
  readonly email?: string;
  /** Idempotency key that the page repeats if it got no response. */
  readonly attempt?: string | undefined;
}

/**
 * The stored form of an attempt: a hash bound to one number and way, so that a reader of the table cannot repeat the
 * request. Null without an attempt.
 */
export const keptAttempt = ({ attempt, phone, way, email }: ConfirmationRequestKey): string | null =>
  attempt === undefined ? null : sha256(JSON.stringify([attempt, phone, way, email]));

/** Whole seconds; 0 if the time has passed. */
const secondsUntil = (time: number, now: number): number => Math.max(0, Math.ceil((time - now) / seconds(1)));

/**
 * The response to an earlier identical request of the same page, which may have been lost. Costs nothing and counts
 * nothing. Undefined if that call is no longer live.
 */
export async function findRepeatedRequest(
  { store, now: clock }: Pick<Service, 'now'> & { readonly store: Store },
  endpoint: Refusing<'try_again_later'>,
  request: ConfirmationRequestKey,
) {
  const attempt = keptAttempt(request);
  if (attempt === null) return undefined;
  const now = clock();
  const call = await findRepeatedCall(store, { phone: request.phone, attempt, now });
  if (!call || !(await isLive(store, call, now))) return undefined;
  // The number to call is unknown until the provider responds.
  if (call.way === 'reverse' && call.state === 'calling') throw refuse(endpoint, 'try_again_later', { retryAfter: 2 });
  return waitingStill({ now: clock }, call);
}

/** The remaining times and tries of a pending call. */
export function waitingStill({ now: clock }: Pick<Service, 'now'>, call: PhoneCallsTable) {
  const { id, way, created_at, attempts_left, number } = call;
  const now = clock();
  const until = way === 'mail' ? created_at + confirmationLinkLifetime : call.expires_at;
  return {
    ...waitingFor(id, 0),
    digits: (call.digits ?? usualDigits(call)) as Digits,
    expires_in: secondsUntil(until, now),
    resend_in: secondsUntil(created_at + callResendPause, now),
    attempts_left,
    ...(number !== null && { number }),
  };
}

/** Expected number of digits while no provider has accepted the call. */
const usualDigits = ({ way, state }: PhoneCallsTable): number =>
  state === 'calling' && way !== 'ring' && way !== 'reverse' ? sentDigits : phoneDigits;

async function isLive(store: Store, call: PhoneCallsTable, now: number): Promise<boolean> {
  // The clock was wrong when the call was placed.
  if (call.created_at > now + maxClockSkew) return false;
  if (call.state === 'confirmed') return isUsable(call, now);
  // A request that broke off while we tried a provider does not block the next call.
  if (call.state === 'calling') return call.created_at > now - callResendPause;
  return call.way !== 'mail' || isLinkAlive(store, { id: call.id, now });
}

type Deps = Pick<Service, 'store' | 'now' | 'calls'>;

/**
 * Whether the provider reports that a call or message did not arrive: the page then offers other ways, although the
 * digits remain valid, and the provider's confirmation rate counts it immediately. Requires a call with digits.
 */
export async function isLost(service: Deps, call: PhoneCallsTable): Promise<boolean> {
  const { id, state, provider, reference, expires_at, lost_at, proof } = call;
  const now = service.now();
  if (state !== 'placed' || provider === null || reference === null || proof === null || expires_at <= now)
    return false;
  if (lost_at !== null) return true;
  const status = await service.calls.delivery({ provider, reference }).catch(() => 'under way' as const);
  if (status !== 'lost' && status !== 'refunded') return false;
  await markLost(service.store, { id, now });
  if (status === 'refunded') await refund(service, id);
  return true;
}

/** A provider refunds once the lifetime of a message is over, which is that of its call. */
const refundsWithin = seconds(30);
/** Afterward, an undecided message counts as charged. */
const latestRefund = minutes(10);
const maxQueries = 20;

/** Takes refunded messages off the daily budget, also if no page waits for them any more. */
export async function settleRefunds(service: Deps): Promise<void> {
  const now = service.now();
  const period = { after: now - latestRefund, before: now - refundsWithin, limit: maxQueries };
  for (const { id, provider, reference } of await findChargedCalls(service.store, period)) {
    if (provider === null || reference === null) continue;
    const status = await service.calls.delivery({ provider, reference }).catch(() => 'under way' as const);
    if (status === 'refunded') await refund(service, id);
    else if (status === 'delivered') await takeCharge(service.store, id);
  }
}

async function refund({ store }: Deps, id: string): Promise<void> {
  const hits = await takeCharge(store, id);
  if (hits.length > 0) await refundHits(store, hits);
}
