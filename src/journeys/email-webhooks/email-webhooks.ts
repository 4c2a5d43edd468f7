import type { Relay, RelayRequest } from '../../outbox/bounces/relays/relay.ts';
import type { Service } from '../../server/service.ts';
import { withinBudget } from '../../store/time-budget.ts';

type WebhookRequest = Omit<RelayRequest, 'now'>;

/** Takes what a relay reports. Reported twice, or again after a failure in the middle, it has its effect once. */
export async function receiveEmailWebhook(
  { bounces, now }: Service,
  relay: Relay,
  request: WebhookRequest,
): Promise<void> {
  const returned = await relay.read({ ...request, now: now() });
  await withinBudget(() => bounces.take(returned));
}
