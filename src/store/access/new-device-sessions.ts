import { sql } from 'kysely';
import type { Store } from '../database.ts';

interface NewDevices {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Only sessions that added a credential at this time or later (ms since the epoch). */
  readonly addedSince?: number;
}

/** The tables of credentials, each with the session that added it. */
export const credentialTables = ['passkeys', 'authenticators', 'recovery_codes'] as const;

/** When a credential was added. */
const addedAt = { passkeys: 'created_at', authenticators: 'confirmed_at', recovery_codes: 'created_at' } as const;

/**
 * The sessions that added a credential, and that began on a device that the account
 * first saw at `since` or later. The device that registered the account is never new.
 */
export async function credentialSessionsOnNewDevices(
  store: Store,
  { accountId, since, addedSince = 0 }: NewDevices,
): Promise<string[]> {
  const [first, ...others] = credentialTables;
  const addedTo = (table: (typeof credentialTables)[number]) =>
    store
      .selectFrom(table)
      .select('session_id')
      .where('account_id', '=', accountId)
      .where(sql.ref<number>(addedAt[table]), '>=', addedSince);
  const added = others.reduce((union, table) => union.union(addedTo(table)), addedTo(first));
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
    .where('sessions.id', 'in', added)
    .where(firstSeen, '>=', since)
    .where(firstSeen, '>', (row) => row.ref('accounts.created_at'))
    .execute();
  return sessions.map(({ id }) => id);
}
