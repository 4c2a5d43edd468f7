import { sql } from 'kysely';
import { isLive } from '../access/sessions.ts';
import { openLookup } from '../batching.ts';
import { hasRow, type Store } from '../database.ts';

/** The access of an application to an account since one sign-in. Its codes and tokens are valid only with this row. */
export interface ClientGrantsTable {
  id: string;
  account_id: string;
  client_id: string;
  /** Null for a device, whose grant does not depend on a session. */
  session_id: string | null;
  /** Names the sign-in to the application, in ID tokens and logout tokens. */
  sid: string;
  /** The session that let a device in: its grant outlives a sign-out, but not an end for a reason. */
  approved_in: string | null;
  /** Separated by spaces. */
  scopes: string;
  /** The scopes of each API, as a JSON object of texts like `scopes`. */
  resources: string;
  /** 1 if it outlives its session (scope `offline_access`, or a device). */
  offline: 0 | 1;
  /** How often a refresh token got its successor again after the grace period. */
  late_answers: number;
  created_at: number;
  expires_at: number;
}

declare module '../database.ts' {
  interface Database {
    client_grants: ClientGrantsTable;
  }
}

const grantsById = openLookup('id', (store, isKey) =>
  store
    .selectFrom('client_grants')
    .leftJoin('sessions', 'sessions.id', 'client_grants.session_id')
    .selectAll('client_grants')
    .select([
      'sessions.ended_at',
      'sessions.expires_at as session_expires_at',
      'sessions.rotated_at',
      'sessions.shared',
    ])
    .where(isKey('client_grants.id')),
);

/** A grant that is valid at `now`: while its session lasts, or longer if it is offline. */
export async function findGrant(
  store: Store,
  { id, now }: { id: string; now: number },
): Promise<ClientGrantsTable | undefined> {
  const [grant] = await grantsById(store, id);
  if (!grant || grant.expires_at <= now) return undefined;
  if (grant.offline === 1) return grant;
  const { ended_at, session_expires_at, rotated_at, shared } = grant;
  if (session_expires_at === null || rotated_at === null || shared === null) return undefined;
  return isLive({ ended_at, expires_at: session_expires_at, rotated_at, shared }, now) ? grant : undefined;
}

export const findGrantOfSession = (store: Store, { sessionId, clientId }: { sessionId: string; clientId: string }) =>
  store
    .selectFrom('client_grants')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();

/** Adds a grant, unless its session has one for the client, as two tabs may cause. */
export const addGrant = (store: Store, grant: Omit<ClientGrantsTable, 'late_answers'>) =>
  store
    .insertInto('client_grants')
    .values({ ...grant, late_answers: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** The grant behind the sign-in that a token names; undefined if there is none that is valid at `now`. */
export async function findGrantOfSignIn(
  store: Store,
  { accountId, clientId, sid, now }: { accountId: string; clientId: string; sid: string; now: number },
): Promise<ClientGrantsTable | undefined> {
  const grant = await store
    .selectFrom('client_grants')
    .select('id')
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .where('sid', '=', sid)
    .executeTakeFirst();
  return grant && findGrant(store, { id: grant.id, now });
}

/** Adds scopes to a grant, or lets it outlive its session. */
export const extendGrant = (
  store: Store,
  { id, ...change }: Pick<ClientGrantsTable, 'id' | 'scopes' | 'resources' | 'offline' | 'expires_at'>,
) => store.updateTable('client_grants').set(change).where('id', '=', id).execute();

/** Counts a late repeated response; true if it is one of the first `max`. */
export const countLateResponse = (store: Store, { id, max }: { id: string; max: number }): Promise<boolean> =>
  hasRow(
    store
      .updateTable('client_grants')
      .set({ late_answers: sql`late_answers + 1` })
      .where('id', '=', id)
      .where('late_answers', '<', max)
      .returning('id'),
  );

/** Moves the grants of a session to the one that replaces it, when the same person signs in again. */
export async function moveGrants(
  store: Store,
  { from, to, accountId }: { from: string; to: string; accountId: string },
): Promise<void> {
  for (const column of ['session_id', 'approved_in'] as const)
    await store
      .updateTable('client_grants')
      .set({ [column]: to })
      .where(column, '=', from)
      .where('account_id', '=', accountId)
      .execute();
}
