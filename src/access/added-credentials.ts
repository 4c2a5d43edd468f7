import { hours } from '../contract/durations.ts';
import type { Service } from '../server/service.ts';
import { credentialSessionsOnNewDevices } from '../store/access/new-device-sessions.ts';
import { sessionLifetime } from '../store/access/sessions.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { lastActivity } from '../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../store/database.ts';
import type { Visitor } from '../store/visitor.ts';
import { notifyPasskeyRemoved } from './passkeys/notify-passkeys.ts';
import { reportChange } from './second-step/report-change.ts';
import type { ShutOutResult } from './shut-out.ts';

/** As long as an owner can undo a change of address. */
const distrustedFor = hours(72);

/**
 * The sessions whose passkeys and second step a reset removes: those that added one in the last 72 hours, on a device
 * that the account first saw in the 30 days before. What an earlier reset or undo left is trusted, since it
 * forgot the devices.
 */
export async function distrustedAtReset(
  trx: StoreTransaction,
  { accountId, at }: { accountId: string; at: number },
): Promise<readonly string[]> {
  const since = at - distrustedFor;
  const trusted = await lastActivity(trx, { accountId, kinds: ['password_reset', 'email_change_undone'], since });
  const addedSince = trusted ?? since;
  return credentialSessionsOnNewDevices(trx, { accountId, since: addedSince - sessionLifetime, addedSince });
}

interface Removed {
  readonly account: AccountsTable;
  readonly removed: Pick<ShutOutResult, 'passkeys' | 'secondStep'>;
  readonly visitor: Visitor;
  readonly at: number;
}

/** Records the credentials that a reset removed, and emails their owner. */
export async function reportRemoved(
  service: Pick<Service, 'geoip'>,
  trx: StoreTransaction,
  { account, removed, visitor, at }: Removed,
): Promise<void> {
  for (const passkey of removed.passkeys) await notifyPasskeyRemoved(service, trx, { account, passkey, visitor, at });
  if (removed.secondStep) await reportChange(trx, { account, change: 'removed', visitor, at });
}
