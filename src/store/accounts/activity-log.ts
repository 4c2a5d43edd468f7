import { sql } from 'kysely';
import type { ActivityKind } from '../../contract/activity.ts';
import type { EventType } from '../../contract/webhook-events.ts';
import type { Store } from '../database.ts';
import { orderedId } from '../database.ts';
import type { Visitor } from '../visitor.ts';
import { recordEvent } from '../webhooks/record-event.ts';
import { recentIn } from '../wrong-clock.ts';

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
  /** Only lines of these kinds. */
  readonly kinds?: readonly ActivityKind[] | undefined;
  /** No lines of these. */
  readonly without?: readonly ActivityKind[] | undefined;
  /** Only lines older than the one with this id. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** The activity log of an account, the newest first. */
export const listActivity = (store: Store, { accountId, kinds, without, before, limit }: Page) =>
  store
    .selectFrom('activity')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(kinds !== undefined, (lines) => lines.where('kind', 'in', kinds ?? []))
    .$if(without !== undefined, (lines) => lines.where('kind', 'not in', without ?? []))
    .$if(before !== undefined, (lines) => lines.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

interface LastEntry {
  readonly accountId: string;
  readonly kinds: readonly ActivityKind[];
  readonly now: number;
  readonly within: number;
}

/** When an account last had an entry of these kinds in the period `within` until `now` (ms since the epoch). */
export async function lastActivity(
  store: Store,
  { accountId, kinds, ...recently }: LastEntry,
): Promise<number | undefined> {
  const line = await store
    .selectFrom('activity')
    .select('at')
    .where('account_id', '=', accountId)
    .where('kind', 'in', kinds)
    .where(recentIn(sql.ref('at'), recently))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return line && Number(line.at);
}

/** The addresses and accounts in the newest `limit` lines of all activity logs. */
export async function recentVisits(store: Store, { limit }: { limit: number }) {
  const lines = await store
    .selectFrom('activity')
    .select(['ip', 'account_id'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return { ips: new Set(lines.map(({ ip }) => ip)), accounts: new Set(lines.map((line) => line.account_id)) };
}

/** The kinds that webhooks report. */
const eventOf: Partial<Record<ActivityKind, EventType>> = {
  registered: 'account.created',
  account_changed: 'account.changed',
  phone_changed: 'account.changed',
  email_changed: 'account.email_changed',
  email_change_undone: 'account.email_changed',
  deletion_requested: 'account.deletion_planned',
  deletion_taken_back: 'account.changed',
  refresh_reused: 'session.reused',
};

interface ActivityEntry {
  readonly accountId: string;
  readonly at: number;
  readonly kind: ActivityKind;
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
}

/**
 * Records in the activity log what a visitor did to an account, and for webhooks. Call it after the change itself, since
 * receivers get the account as it is now.
 */
export async function recordActivity(store: Store, { accountId, at, kind, visitor }: ActivityEntry): Promise<void> {
  const { ip, userAgent: user_agent } = visitor;
  await sql`insert into activity (id, account_id, at, kind, ip, user_agent)
    values (${orderedId()}, ${accountId}, ${at}, ${kind}, ${ip}, ${user_agent})`.execute(store);
  const type = eventOf[kind];
  if (type) await recordEvent(store, { type, accountId, at, ...(type === 'session.reused' && { data: { ip } }) });
}
