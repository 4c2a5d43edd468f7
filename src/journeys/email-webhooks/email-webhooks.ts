import type { Relay, RelayRequest } from '../../outbox/bounces/relays/relay.ts';
import type { Service } from '../../server/service.ts';
import { withinBudget } from '../../store/time-budget.ts';

type WebhookRequest = Omit<RelayRequest, 'now'>;

/**
 * Processes the reports of a relay. A report takes effect once, even if the relay sends it again or a failure
 * interrupted us.
 */
export async function receiveEmailWebhook(
  { bounces, now }: Service,
  relay: Relay,
  request: WebhookRequest,
): Promise<void> {
  const returned = await relay.read({ ...request, now: now() });
  await withinBudget(() => bounces.take(returned));
}
