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
}

/** Leases notices that are due, the oldest first. Two workers never get the same. */
export async function claimLogoutNotices(store: Store, { now, lease, most }: Claim) {
  const due = await store
    .selectFrom('logout_notices')
    .selectAll()
    .where('due_at', '<=', now)
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
    if (leased) claimed.push({ ...notice, attempts: notice.attempts + 1 });
  }
  return claimed;
}

export const removeLogoutNotice = (store: Store, id: string) =>
  store.deleteFrom('logout_notices').where('id', '=', id).execute();

export const postponeLogoutNotice = (store: Store, { id, until }: { id: string; until: number }) =>
  store.updateTable('logout_notices').set({ due_at: until }).where('id', '=', id).execute();
