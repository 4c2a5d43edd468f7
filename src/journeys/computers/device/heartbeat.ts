import { refuse } from '../../../contract/refuse.ts';
import type { Service } from '../../../server/service.ts';
import { clockStep } from '../../../store/computers/alarm-watch.ts';
import { type ComputersTable, recordHeartbeat } from '../../../store/computers/computers.ts';
import { heartbeat } from './device.contract.ts';
import { historyWithHeartbeat, withHeartbeat } from './heartbeat-history.ts';

/** Records a heartbeat, with the platform and version that it reports. */
export async function receiveHeartbeat(
  service: Service,
  device: ComputersTable,
  report: { platform?: string | null | undefined; version?: string | null | undefined },
): Promise<void> {
  const now = service.now();
  const noted = await recordHeartbeat(service.store, {
    id: device.id,
    platform: report.platform ?? device.platform,
    version: report.version ?? device.version,
    // A time in the future is from before the clock was set back; it must not hide a silence until then.
    last_seen_at: device.last_seen_at > now + clockStep ? now : Math.max(now, device.last_seen_at),
    signs: withHeartbeat(device, now),
    history: historyWithHeartbeat(device, now),
  });
  // The computer was removed after its token was looked up.
  if (!noted) throw refuse(heartbeat, 'not_signed_in');
}
