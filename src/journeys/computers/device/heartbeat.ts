import { refuse } from '../../../contract/refuse.ts';
import type { Service } from '../../../server/foundation.ts';
import { type ComputersTable, noteSignOfLife } from '../../../store/computers/computers.ts';
import { withSign } from './day-of-signs.ts';
import { heartbeat } from './device.contract.ts';

interface Told {
  readonly platform?: string | null | undefined;
  readonly version?: string | null | undefined;
}

/** Notes that a computer is alive, and what it says of itself. */
export async function giveSignOfLife(service: Service, device: ComputersTable, told: Told): Promise<void> {
  const now = service.now();
  const noted = await noteSignOfLife(service.store, {
    id: device.id,
    platform: told.platform ?? device.platform,
    version: told.version ?? device.version,
    last_seen_at: Math.max(now, device.last_seen_at),
    signs: withSign(device, now),
  });
  // It was removed since its token was looked up.
  if (!noted) throw refuse(heartbeat, 'not_signed_in');
}
