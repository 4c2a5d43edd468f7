import { days } from '../../contract/durations.ts';
import type { Config } from '../../server/settings/config.ts';
import type { Store } from '../../store/database.ts';
import { stepsAhead } from '../../store/migrate.ts';
import { givenUpDeliveries, webhookQueue } from '../../store/webhooks/deliveries.ts';
import { disabledReceivers } from '../../store/webhooks/receivers.ts';
import { readReceivers } from '../../webhooks/receivers-file.ts';
import { counted } from '../readable.ts';
import type { CheckResult } from './finding.ts';

/** Checks the receivers of webhooks and their waiting deliveries. Sends nothing. */
export async function examineWebhooks(
  store: Store,
  { config, now }: { config: Config; now: number },
): Promise<CheckResult> {
  const receivers = readReceivers(config.WEBHOOKS_FILE);
  if ((await stepsAhead(store)) > 0) return 'the next start creates its tables';
  const ids = receivers.map(({ id }) => id);
  const { queued } = await webhookQueue.backlog(store, ids);
  const { count: givenUp, error } = await givenUpDeliveries(store, { receivers: ids, since: now - days(1) });
  const disabled = (await disabledReceivers(store)).filter(({ id }) => ids.includes(id)).length;
  const says = `${counted(receivers.length, 'receiver')}, ${counted(queued, 'webhook')} queued`;
  const problems = [
    ...(disabled > 0 ? [`${disabled} disabled after 410 Gone, see vestibule webhooks`] : []),
    ...(givenUp > 0 ? [`${givenUp} given up in the past day (${error}), see vestibule webhooks deliveries`] : []),
  ];
  return problems.length > 0 ? { warning: [says, ...problems].join('; ') } : says;
}
