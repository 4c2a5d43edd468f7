import type { Store } from '../database.ts';

/** Notices to applications that a sign-in has ended (OpenID Connect Back-Channel Logout 1.0), until they accept them. */
export interface LogoutNoticesTable {
  id: string;
  client_id: string;
  /** The `sub` of the logout token: the id of an account, which may no longer exist. */
  subject: string;
  sid: string;
  created_at: number;
  due_at: number;
  attempts: number;
}

declare module '../database.ts' {
  interface Database {
    logout_notices: LogoutNoticesTable;
  }
}

interface Claim {
  readonly now: number;
  /** Milliseconds for which no other worker gets them. */
  readonly lease: number;
  readonly most: number;
  readonly mostOfClient: number;
  /** Clients that this worker is still notifying. */
  readonly except: readonly string[];
}

/** How many times as many notices a worker looks at as it claims: a client that it is notifying no longer counts. */
const lookedAt = 10;

/**
 * Leases notices that are due, the oldest of each client first, so that one that does not respond delays no other. Two
 * workers never get the same.
 */
export async function claimLogoutNotices(store: Store, { now, lease, most, mostOfClient, except }: Claim) {
  const oldest = await store
    .selectFrom('logout_notices')
    .selectAll()
    .where('due_at', '<=', now)
    .$if(except.length > 0, (rows) => rows.where('client_id', 'not in', except))
    .orderBy('due_at')
    .limit(most * lookedAt)
    .execute();
  const due = inTurn(oldest, mostOfClient).slice(0, most);
  const claimed: LogoutNoticesTable[] = [];
  for (const notice of due) {
    const leased = await store
      .updateTable('logout_notices')
      .set({ due_at: now + lease, attempts: notice.attempts + 1 })
      .where('id', '=', notice.id)
      .where('attempts', '=', notice.attempts)
      .returning('id')
      .executeTakeFirst();
    if (leased) claimed.push({ ...notice, attempts: notice.attempts + 1 });
  }
  return claimed;
}

/** Notices of different clients in turn: the first of each, then the second of each, at most `mostOfClient`. */
function inTurn(oldest: readonly LogoutNoticesTable[], mostOfClient: number): LogoutNoticesTable[] {
  const ofClients = Map.groupBy(oldest, ({ client_id }) => client_id);
  const places = Array.from({ length: mostOfClient }, (_, place) => place);
  return places.flatMap((place) => [...ofClients.values()].flatMap((notices) => notices[place] ?? []));
}

export const removeLogoutNotice = (store: Store, id: string) =>
  store.deleteFrom('logout_notices').where('id', '=', id).execute();

export const postponeLogoutNotice = (store: Store, { id, until }: { id: string; until: number }) =>
  store.updateTable('logout_notices').set({ due_at: until }).where('id', '=', id).execute();

/**
 * Makes notices due now if their times are from before the clock was set back: they were created in the future, or wait
 * longer than any pause. The others keep their pauses, since each attempt counts.
 */
export const endOutdatedNoticePauses = (store: Store, { now, longestPause }: { now: number; longestPause: number }) =>
  store
    .updateTable('logout_notices')
    .set({ due_at: now })
    .where('due_at', '>', now)
    .where((row) => row.or([row('created_at', '>', now), row('due_at', '>', now + longestPause)]))
    .execute();

/** Follows a clock that was set back by `by` milliseconds. */
export const shiftLogoutNotices = (store: Store, { now, by }: { now: number; by: number }) =>
  store
    .updateTable('logout_notices')
    .set((row) => ({ due_at: row('due_at', '-', by) }))
    .where('due_at', '>', now)
    .execute();
