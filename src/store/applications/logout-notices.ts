import { sql } from 'kysely';
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

/**
 * Leases notices that are due, the oldest of each client first, so that one that does not respond delays no other. Two
 * workers never get the same.
 */
export async function claimLogoutNotices(store: Store, { now, lease, most, mostOfClient, except }: Claim) {
  const due = await store
    .selectFrom((notices) =>
      notices
        .selectFrom('logout_notices')
        .selectAll()
        .select(sql<number>`row_number() over (partition by client_id order by due_at)`.as('place'))
        .where('due_at', '<=', now)
        .$if(except.length > 0, (rows) => rows.where('client_id', 'not in', except))
        .as('due'),
    )
    .selectAll()
    .where('place', '<=', mostOfClient)
    .orderBy('place')
    .orderBy('due_at')
    .limit(most)
    .execute();
  const claimed: LogoutNoticesTable[] = [];
  for (const notice of due) {
    const leased = await store
      .updateTable('logout_notices')
      .set({ due_at: now + lease, attempts: notice.attempts + 1 })
      .where('id', '=', notice.id)
      .where('attempts', '=', notice.attempts)
      .returning('id')
      .executeTakeFirst();
    const { place: _place, ...row } = notice;
    if (leased) claimed.push({ ...row, attempts: notice.attempts + 1 });
  }
  return claimed;
}

export const removeLogoutNotice = (store: Store, id: string) =>
  store.deleteFrom('logout_notices').where('id', '=', id).execute();

export const postponeLogoutNotice = (store: Store, { id, until }: { id: string; until: number }) =>
  store.updateTable('logout_notices').set({ due_at: until }).where('id', '=', id).execute();
