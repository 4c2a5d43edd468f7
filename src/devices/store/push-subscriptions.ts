import { type SqlBool, sql } from 'kysely';
import type { Store, StoreTransaction } from '../../store/database.ts';

/** A browser that shows notices of an account, although no page is open. */
interface PushSubscriptionsTable {
  /** 128 random bits, base64url. */
  id: string;
  account_id: string;
  /** The session of its last visit; if that was ended, not merely expired, the browser gets no more. */
  session_id: string;
  /** Given by the push service, which it identifies the browser to. */
  endpoint: string;
  p256dh: string;
  auth: string;
  /** The browser and its system, as lists of sessions name them. */
  browser: string;
  created_at: number;
  /** When a page in it last renewed the subscription. */
  seen_at: number;
}

export type PushSubscription = PushSubscriptionsTable;

declare module '../../store/database.ts' {
  interface Database {
    push_subscriptions: PushSubscriptionsTable;
  }
}

/** Browsers of one account; the one that was not seen for the longest time gives way. */
const maxBrowsers = 10;

/** We remember sessions for a month after their end; then the browser itself has ended the subscription. */
const isSignedOut = sql<SqlBool>`exists (select 1 from sessions
  where sessions.id = push_subscriptions.session_id and ended_at is not null and end_reason != 'expired')`;

/**
 * Removes those of sessions that have expired, whoever began them: when an owner ends all others, a stranger must not
 * read on. Those of sessions that were ended get no more anyway.
 */
export const forgetExpiredSubscriptions = (trx: StoreTransaction, accountId: string, at: number) =>
  trx
    .deleteFrom('push_subscriptions')
    .where('account_id', '=', accountId)
    .where(
      sql<SqlBool>`not exists (select 1 from sessions where sessions.id = push_subscriptions.session_id
        and ended_at is null and expires_at > ${at})`,
    )
    .execute();

/** The browsers that get notices, the last seen first. */
export const pushSubscriptionsOf = (store: Store, accountId: string): Promise<PushSubscription[]> =>
  store
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql<SqlBool>`not ${isSignedOut}`)
    .orderBy('seen_at', 'desc')
    .execute();

/** Adds or renews a subscription, also one that another account had in this browser. Returns its id. */
export async function keepPushSubscription(trx: StoreTransaction, subscription: PushSubscription): Promise<string> {
  const { id: _, endpoint: __, created_at: ___, ...renewed } = subscription;
  const { id } = await trx
    .insertInto('push_subscriptions')
    .values(subscription)
    .onConflict((conflict) => conflict.column('endpoint').doUpdateSet(renewed))
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx
    .deleteFrom('push_subscriptions')
    .where('id', 'in', (all) =>
      all
        .selectFrom('push_subscriptions')
        .select('id')
        .where('account_id', '=', subscription.account_id)
        .orderBy('seen_at', 'desc')
        .orderBy('id')
        .limit(1000)
        .offset(maxBrowsers),
    )
    .execute();
  return id;
}

/** Removes one of an account's subscriptions; false if it is already gone. */
export async function forgetPushSubscription(
  store: Store,
  { id, accountId }: { readonly id: string; readonly accountId: string },
): Promise<boolean> {
  const gone = await store
    .deleteFrom('push_subscriptions')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('id')
    .executeTakeFirst();
  return gone !== undefined;
}
