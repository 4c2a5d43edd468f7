import { type RawBuilder, sql } from 'kysely';
import { hours } from '../../contract/durations.ts';
import type { Store, StoreTransaction } from '../database.ts';
import { beginCall, type PhoneCallsTable } from './phone-calls.ts';

/** Counted from the sending of the mail that carries it. */
export const confirmationLinkLifetime = hours(1);
/** How long a mail may be under way before its link dies with it: the outbox gives up after a day. */
const deliveryLimit = hours(25);

type Link = Pick<
  PhoneCallsTable,
  'id' | 'phone' | 'proof' | 'attempts_left' | 'locale' | 'source' | 'created_at' | 'attempt' | 'browser'
>;

/** Begins what takes a call's place: a link that a letter carries. */
export async function beginLink(trx: StoreTransaction, link: Link & { readonly outboxId: string }): Promise<void> {
  const { outboxId, ...call } = link;
  await beginCall(trx, {
    ...call,
    country: null,
    digits: null,
    way: 'mail',
    expires_at: call.created_at + deliveryLimit,
  });
  await trx
    .updateTable('phone_calls')
    .set({ state: 'placed', outbox_id: outboxId })
    .where('id', '=', call.id)
    .execute();
}

interface LinkTry {
  readonly id: string;
  readonly now: number;
}

/** Takes one of a link's tries before its secret is looked at; undefined when there is none left or its hour is over. */
export const takeLinkTry = (store: Store, { id, now }: LinkTry) =>
  store
    .updateTable('phone_calls')
    .set({ attempts_left: sql`attempts_left - 1` })
    .where('id', '=', id)
    .where('way', '=', 'mail')
    .where('state', '=', 'placed')
    .where('attempts_left', '>', 0)
    .where('expires_at', '>', now)
    .where(sentAt(now), '>', now - confirmationLinkLifetime)
    .returningAll()
    .executeTakeFirst();

/** Whether the hour of a link is still to come, or not yet over. */
export const isLinkAlive = async (store: Store, { id, now }: LinkTry): Promise<boolean> =>
  (await store
    .selectFrom('phone_calls')
    .select('id')
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where(sentAt(now), '>', now - confirmationLinkLifetime)
    .executeTakeFirst()) !== undefined;

/** As long as its mail waits it is as good as sent now. */
const sentAt = (now: number): RawBuilder<number> =>
  sql<number>`coalesce((select coalesce(sent_at, ${now}) from outbox where outbox.id = phone_calls.outbox_id), phone_calls.created_at)`;
