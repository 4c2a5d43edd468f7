import { sql } from 'kysely';
import type { Store } from '../database.ts';

interface NewDevices {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * The sessions that added a passkey, an authenticator or recovery codes, and that began on a device that the account
 * first saw at `since` or later. The device that registered the account is never new.
 */
export async function credentialSessionsOnNewDevices(store: Store, { accountId, since }: NewDevices) {
  const added = (table: 'passkeys' | 'authenticators' | 'recovery_codes') =>
    store.selectFrom(table).select('session_id').where('account_id', '=', accountId);
  // A forgotten device, or a shared computer, counts as first seen when the session began.
  const firstSeen = sql<number>`coalesce(devices.created_at, sessions.created_at)`;
  const sessions = await store
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.token_hash', '=', 'sessions.device_hash')
        .onRef('devices.account_id', '=', 'sessions.account_id'),
    )
    .select('sessions.id')
    .where('sessions.account_id', '=', accountId)
    .where('sessions.id', 'in', added('passkeys').union(added('authenticators')).union(added('recovery_codes')))
    .where(firstSeen, '>=', since)
    .where(firstSeen, '>', (row) => row.ref('accounts.created_at'))
    .execute();
  return sessions.map(({ id }) => id);
}
