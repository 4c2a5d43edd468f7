import { sql } from 'kysely';
import type { ConfirmationWay } from '../../contract/call-ways.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { hours } from '../../contract/units.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';

/** One attempt to confirm a phone number. Proves contact, and nothing else. */
export interface PhoneCallsTable {
  /** 128 random bits, base64url; only the browser that requested it knows it. */
  id: string;
  phone: string;
  way: ConfirmationWay;
  state: 'calling' | 'placed' | 'failed' | 'confirmed';
  /** HMAC of the expected digits or of an emailed secret; null while only the provider knows the digits. */
  proof: string | null;
  provider: string | null;
  /** The provider's id of the call, if the provider checks the digits. */
  reference: string | null;
  /** For a link by email, the email with the link: its hour begins when that is sent. */
  outbox_id: string | null;
  attempts_left: number;
  locale: LanguageCode;
  created_at: number;
  expires_at: number;
  confirmed_at: number | null;
  /** The source of the request (`Visitor.source`); null in older rows. */
  source: string | null;
  /** Country of the number, ISO 3166; null for a link by email. */
  country: string | null;
  /** The registration that used the confirmation. */
  used_at: number | null;
  /** Hash of the request's idempotency key; null if the page sent none. */
  attempt: string | null;
  /** E.164: the number to call, for a reverse call. */
  number: string | null;
  /** SHA-256 of the requesting browser's cookie; null in older rows. */
  browser: string | null;
  /** How many digits confirm it; null in older rows, which have four. */
  digits: number | null;
  /** When the provider reported that it did not arrive. */
  lost_at: number | null;
  /** The rate limit hits that count its cost, as JSON, while the provider may still refund it. */
  charge: string | null;
}

declare module '../database.ts' {
  interface Database {
    phone_calls: PhoneCallsTable;
  }
}

const nothingYet = {
  state: 'calling',
  provider: null,
  reference: null,
  outbox_id: null,
  confirmed_at: null,
  used_at: null,
  number: null,
  lost_at: null,
  charge: null,
} as const;

/** Begins a call. Ends an earlier one of the same browser, way and number, but never that of another browser. */
export async function beginCall(
  trx: StoreTransaction,
  call: Omit<PhoneCallsTable, keyof typeof nothingYet>,
): Promise<void> {
  await trx
    .updateTable('phone_calls')
    .set({ expires_at: call.created_at })
    .where('phone', '=', call.phone)
    .where('way', '=', call.way)
    .where((other) =>
      other.or([
        other('browser', '=', call.browser),
        // Older nodes identify browsers by their address.
        other.and([other('browser', 'is', null), other('source', '=', call.source)]),
      ]),
    )
    .where('state', 'in', ['calling', 'placed'])
    .where('expires_at', '>', call.created_at)
    .execute();
  await trx
    .insertInto('phone_calls')
    .values({ ...call, ...nothingYet })
    .execute();
}

export const callWasPlaced = (
  store: Store,
  { id, ...placed }: Pick<PhoneCallsTable, 'id' | 'provider' | 'proof' | 'reference' | 'number' | 'digits' | 'charge'>,
) =>
  store
    .updateTable('phone_calls')
    .set({ state: 'placed', ...placed })
    .where('id', '=', id)
    .where('state', '=', 'calling')
    .execute();

export const callFailed = (store: Store, id: string) =>
  store
    .updateTable('phone_calls')
    .set({ state: 'failed', proof: null })
    .where('id', '=', id)
    .where('state', '=', 'calling')
    .execute();

export const findCall = (store: Store, id: string) =>
  store.selectFrom('phone_calls').selectAll().where('id', '=', id).executeTakeFirst();

/** Other live calls of the same browser to the number, the newest first: the first may arrive after the second. */
export const siblingsOf = (store: Store, { id, phone, browser }: PhoneCallsTable, now: number) =>
  openCallsTo(store, { phone, now })
    .where('browser', '=', browser)
    .where('id', '!=', id)
    .where('state', '=', 'placed')
    .execute();

/** The calls to a number that can still be confirmed unless they failed, the newest first. */
const openCallsTo = (store: Store, { phone, now }: { phone: string; now: number }) =>
  store
    .selectFrom('phone_calls')
    .selectAll()
    .where('phone', '=', phone)
    .where('attempts_left', '>', 0)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc');

/** Uses up one of a call's tries before the digits are compared; undefined if none is left or the call is over. */
export const takeTry = (
  store: Store,
  { id, ways, now }: { id: string; ways: readonly PhoneCallsTable['way'][]; now: number },
) =>
  store
    .updateTable('phone_calls')
    .set({ attempts_left: sql`attempts_left - 1` })
    .where('id', '=', id)
    .where('way', 'in', ways)
    .where('state', '=', 'placed')
    .where('attempts_left', '>', 0)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();

/** Gives back a try whose digits could not be checked. */
export const returnTry = (store: Store, id: string) =>
  store.updateTable('phone_calls').set({ attempts_left: sql`attempts_left + 1` }).where('id', '=', id).execute();

/** The providers whose calls to a number since a time (ms since the epoch) were not confirmed. */
export async function providersMissed(
  store: Store,
  { phone, since }: { phone: string; since: number },
): Promise<string[]> {
  const rows = await store
    .selectFrom('phone_calls')
    .select('provider')
    .distinct()
    .where('phone', '=', phone)
    .where('state', '=', 'placed')
    .where('created_at', '>', since)
    .where('provider', 'is not', null)
    .execute();
  return rows.flatMap(({ provider }) => provider ?? []);
}

/** True for exactly one of several parallel callers. `proof` is the HMAC of the digits or secret that confirmed it. */
export const confirmCall = (
  store: Store,
  { id, proof, now }: { id: string; proof: string; now: number },
): Promise<boolean> =>
  hasRow(
    store
      .updateTable('phone_calls')
      .set({ state: 'confirmed', confirmed_at: now, proof })
      .where('id', '=', id)
      .where('state', '=', 'placed')
      .returning('id'),
  );

const confirmationLifetime = hours(1);

/** Whether a registration may still use the confirmation of a call. */
export const isUsable = (call: PhoneCallsTable, now: number): boolean =>
  call.used_at === null && (call.confirmed_at ?? 0) > now - confirmationLifetime;

/** Uses a confirmation for one account: only for the confirmed number, only once, and only while it is valid. */
export const useConfirmation = (
  trx: StoreTransaction,
  { id, phone, now }: { id: string; phone: string; now: number },
): Promise<PhoneCallsTable | undefined> =>
  trx
    .updateTable('phone_calls')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('phone', '=', phone)
    .where('state', '=', 'confirmed')
    .where('used_at', 'is', null)
    .where('confirmed_at', '>', now - confirmationLifetime)
    .returningAll()
    .executeTakeFirst();

interface RepeatedCallLookup {
  readonly phone: string;
  /** The hash that `PhoneCallsTable` stores. */
  readonly attempt: string;
  readonly now: number;
}

/** The newest call that the same attempt began, if it can still be confirmed. */
export const findRepeatedCall = (
  store: Store,
  { phone, attempt, now }: RepeatedCallLookup,
): Promise<PhoneCallsTable | undefined> =>
  openCallsTo(store, { phone, now }).where('attempt', '=', attempt).where('state', '!=', 'failed').executeTakeFirst();

/** The attempts to confirm a number, the newest first, after the one with the id `before`. */
export const callsTo = (
  store: Store,
  { phone, before, limit }: { phone: string; before: string | undefined; limit: number },
) =>
  store
    .selectFrom('phone_calls')
    .select(['id', 'created_at', 'way', 'state', 'provider'])
    .where('phone', '=', phone)
    .$if(before !== undefined, (calls) =>
      calls.where(sql<boolean>`(created_at, id) < (select created_at, id from phone_calls where id = ${before ?? ''})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
