import { minutes, seconds } from '../../../contract/durations.ts';
import type { Service } from '../../../server/service.ts';
import { findChargedCalls, markLost, takeCharge } from '../../../store/calls/call-deliveries.ts';
import type { PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import { refundHits } from '../../../store/rate-limits.ts';

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
/** Afterwards, an undecided message counts as charged. */
const latestRefund = minutes(10);
const queriesAtOnce = 20;

/** Takes refunded messages off the daily budget, also if no page waits for them any more. */
export async function settleRefunds(service: Deps): Promise<void> {
  const now = service.now();
  const period = { after: now - latestRefund, before: now - refundsWithin, limit: queriesAtOnce };
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
