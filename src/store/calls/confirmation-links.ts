import { type RawBuilder, sql } from 'kysely';
import { hours, minutes } from '../../contract/units.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import { deliveryLimit } from '../emails/outbox.ts';
import { beginCall, type PhoneCallsTable } from './phone-calls.ts';

/** Starts when its email is sent. */
export const confirmationLinkLifetime = hours(1);

type Link = Pick<
  PhoneCallsTable,
  'id' | 'phone' | 'proof' | 'attempts_left' | 'locale' | 'source' | 'created_at' | 'attempt' | 'browser'
>;

/** Begins the substitute for a call: a link in an email. */
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

/** Uses up one of a link's tries before its secret is compared; undefined if none is left or its hour is over. */
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

/** Whether the hour of a link has not passed yet. */
export const isLinkAlive = (store: Store, { id, now }: LinkTry): Promise<boolean> =>
  hasRow(
    store
      .selectFrom('phone_calls')
      .select('id')
      .where('id', '=', id)
      .where('expires_at', '>', now)
      .where(sentAt(now), '>', now - confirmationLinkLifetime),
  );

/** While the email waits in the outbox, the link counts as sent now. */
const sentAt = (now: number): RawBuilder<number> =>
  sql<number>`coalesce((select coalesce(sent_at, ${now}) from outbox where outbox.id = phone_calls.outbox_id), phone_calls.created_at)`;

/** A person may dial while the page still shows the number, and the provider may notice the call later. */
const lateCall = minutes(5);
/** A wait that no provider has accepted by then belongs to a dead process, and no page ever showed its number. */
const longestBeginning = minutes(1);

/** The newest wait for a call from this phone while such a call may still come; includes confirmed ones. */
export const findReverseWait = (
  store: Store,
  { phone, now }: { phone: string; now: number },
): Promise<PhoneCallsTable | undefined> =>
  store
    .selectFrom('phone_calls')
    .selectAll()
    .where('phone', '=', phone)
    .where('way', '=', 'reverse')
    .where('expires_at', '>', now - lateCall)
    .where((wait) =>
      wait.or([
        wait('state', 'in', ['placed', 'confirmed']),
        wait.and([wait('state', '=', 'calling'), wait('created_at', '>', now - longestBeginning)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
