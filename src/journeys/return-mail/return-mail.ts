import type { Relay, RelayRequest } from '../../outbox/returned/relays/relay.ts';
import type { Service } from '../../server/foundation.ts';
import { withinBudget } from '../../store/budget.ts';

type Told = Omit<RelayRequest, 'now'>;

/** Takes what a relay reports. Reported twice, or again after a failure in the middle, it has its effect once. */
export async function returnMail({ returns, now }: Service, relay: Relay, told: Told): Promise<void> {
  const returned = await relay.read({ ...told, now: now() });
  await withinBudget(() => returns.take(returned));
}
