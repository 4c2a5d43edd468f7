import type { Store } from '../database.ts';
import { orderedId } from '../ordered-id.ts';
import { type Placeholders, preparedWith } from '../prepared.ts';
import type { Visitor } from '../visitor.ts';

/** What happened to an account, for its owner to read. */
export type ActivityKind =
  | 'registered'
  | 'signed_in'
  | 'signed_out'
  | 'recovery_requested'
  | 'password_reset'
  | 'password_changed'
  | 'account_changed'
  | 'offers_changed'
  | 'session_ended'
  | 'sessions_ended'
  | 'device_forgotten'
  | 'phone_changed'
  | 'email_changed'
  | 'email_change_undone'
  | 'exported'
  | 'deletion_requested'
  | 'deletion_taken_back'
  | 'refresh_reused'
  /** An answer that was lost was given again, after its grace. */
  | 'refresh_repeated'
  /** A token was newer than the database, which had been restored from a backup. */
  | 'refresh_adopted';

export interface ActivityTable {
  /** UUID version 7: sorts by time. */
  id: string;
  account_id: string;
  at: number;
  kind: ActivityKind;
  ip: string;
  user_agent: string;
}

declare module '../database.ts' {
  interface Database {
    activity: ActivityTable;
  }
}

interface Page {
  readonly accountId: string;
  /** Only what is older than the line of this id. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** What happened to an account, the newest first. */
export const listActivity = (store: Store, { accountId, before, limit }: Page) =>
  store
    .selectFrom('activity')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (lines) => lines.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** The addresses and the accounts of what happened lately, in as many lines as are asked for. */
export async function recentVisits(store: Store, { limit }: { limit: number }) {
  const lines = await store
    .selectFrom('activity')
    .select(['ip', 'account_id'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return { ips: new Set(lines.map(({ ip }) => ip)), accounts: new Set(lines.map((line) => line.account_id)) };
}

const addLine = preparedWith((store, { id, account_id, at, kind, ip, user_agent }: Placeholders<ActivityTable>) =>
  store.insertInto('activity').values({ id, account_id, at, kind, ip, user_agent }),
);

interface ActivityEntry {
  readonly accountId: string;
  readonly at: number;
  readonly kind: ActivityKind;
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
}

/** Writes down what a visitor did to an account, for its owner to read. */
export const recordActivity = (store: Store, { accountId, at, kind, visitor }: ActivityEntry) =>
  addLine(store, {
    id: orderedId(),
    account_id: accountId,
    at,
    kind,
    ip: visitor.ip,
    user_agent: visitor.userAgent,
  });
