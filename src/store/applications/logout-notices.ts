import type { Store } from '../database.ts';
import { notYetSent, type QueueColumns, queueOf } from '../queue.ts';

/**
 * Notices to applications that a sign-in has ended (OpenID Connect Back-Channel Logout 1.0), until they accept them. One
 * that was given up stays for four days.
 */
export interface LogoutNoticesTable extends QueueColumns {
  client_id: string;
  /** The `sub` of the logout token: the id of an account, which may no longer exist. */
  subject: string;
  sid: string;
}

declare module '../database.ts' {
  interface Database {
    logout_notices: LogoutNoticesTable;
  }
}

export const logoutQueue = queueOf<'logout_notices', string>('logout_notices', { lane: 'client_id', order: 'due_at' });

/** The clients with notices that are due. Asks an index once for each client, since a client may have many notices. */
export async function clientsToNotify(store: Store, now: number): Promise<string[]> {
  const clients = await store
    .selectFrom('clients')
    .select('clients.id')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('logout_notices')
          .select('logout_notices.id')
          .whereRef('logout_notices.client_id', '=', 'clients.id')
          .where('due_at', '<=', now)
          .where('sent_at', 'is', null)
          .where('gave_up_at', 'is', null),
      ),
    )
    .execute();
  return clients.map(({ id }) => id);
}

type NewNotice = Pick<LogoutNoticesTable, 'id' | 'client_id' | 'subject' | 'sid' | 'created_at'>;

export const addLogoutNotices = (store: Store, notices: readonly NewNotice[]) =>
  store
    .insertInto('logout_notices')
    .values(notices.map((notice) => ({ ...notice, ...notYetSent, due_at: notice.created_at })))
    .execute();
