import { retryDeliveries } from '../store/webhooks/deliveries.ts';
import { enableReceiver as enable } from '../store/webhooks/receivers.ts';
import { audit, type Operation } from './operation.ts';

/** Makes webhooks due now that were given up or wait for their next attempt. Returns their ids. */
export async function retryWebhooks(
  { store, ...operation }: Operation,
  ids: readonly string[] | 'all',
): Promise<string[]> {
  const retried = await retryDeliveries(store, { ids, now: operation.now });
  const subject = ids === 'all' ? `all: ${retried.length}` : retried.join(' ');
  if (retried.length > 0) await audit(store, operation, { action: 'webhooks_retried', subject });
  return retried;
}

interface DisabledReceiver {
  readonly id: string;
  /** The host of its URL; the rest may contain a secret. */
  readonly host: string;
}

/** Enables a receiver that responded 410 Gone; false if it was not disabled. */
export const enableReceiver = ({ store, ...operation }: Operation, { id, host }: DisabledReceiver): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const enabled = await enable(trx, id);
    if (enabled) await audit(trx, operation, { action: 'webhooks_enabled', subject: host });
    return enabled;
  });
