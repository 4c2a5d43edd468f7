import { type Generated, sql } from 'kysely';
import { engineOf, type Store, type StoreTransaction } from './database.ts';
import { orderedId } from './ordered-id.ts';

/** One row for each counted request: an exact sliding window, the same on every node. */
export interface RateLimitHitsTable {
  id: string;
  key: string;
  at: number;
  /** What it took of the limit, at least 1. */
  units: Generated<number>;
}

declare module './database.ts' {
  interface Database {
    limit_hits: RateLimitHitsTable;
  }
}

/** At most `limit` requests of a key in any `within` milliseconds, or as many units where requests cost differently. */
export interface RateLimit {
  readonly key: string;
  readonly limit: number;
  readonly within: number;
  /** What this request takes of the limit, 1 or more; 1 if absent. */
  readonly units?: number;
  /** Another limit of the same key counts the request. */
  readonly onlyChecked?: true;
}

export type RateLimitResult =
  | { readonly state: 'counted'; readonly hits: readonly string[] }
  /** Some limit is reached: the time (ms since the epoch) at which all of them let one through again. */
  | { readonly state: 'refused'; readonly freeAt: number };

/** Counts a request against every limit, or against none when one of them is reached. */
export function countRequest(store: Store, limits: readonly RateLimit[], now: number): Promise<RateLimitResult> {
  return store.transaction().execute((trx) => countRequestInTransaction(trx, limits, now));
}

/** The same within a transaction: whatever else it does counts or fails with it. */
export async function countRequestInTransaction(
  trx: StoreTransaction,
  limits: readonly RateLimit[],
  now: number,
): Promise<RateLimitResult> {
  await lockKeys(trx, limits);
  const freeAt = await rateLimitsFreeAt(trx, limits, now);
  if (freeAt > now) return { state: 'refused', freeAt };
  const counting = limits.filter(({ onlyChecked }) => !onlyChecked);
  const rows = counting.map(({ key, units = 1 }) => ({ id: orderedId(), key, at: now, units }));
  await trx.insertInto('limit_hits').values(rows).execute();
  return { state: 'counted', hits: rows.map(({ id }) => id) };
}

/** When all limits let one through; `now` or earlier when they do. Counts nothing. */
export async function rateLimitsFreeAt(store: Store, limits: readonly RateLimit[], now: number): Promise<number> {
  let freeAt = 0;
  for (const { key, limit, within, units = 1 } of limits) {
    const hits = await store
      .selectFrom('limit_hits')
      .select(['at', 'units'])
      .where('key', '=', key)
      .where('at', '>', now - within)
      .orderBy('at', 'desc')
      .limit(limit)
      .execute();
    // What is more than the whole limit never fits.
    if (units > limit) freeAt = Math.max(freeAt, now + within);
    let used = units;
    for (const hit of hits) {
      used += hit.units;
      if (used <= limit) continue;
      freeAt = Math.max(freeAt, hit.at + within);
      break;
    }
  }
  return freeAt;
}

/** What was counted of a key since then. */
export async function unitsUsedSince(store: Store, { key, since }: { key: string; since: number }): Promise<number> {
  const { units } = await store
    .selectFrom('limit_hits')
    .select(({ fn }) => fn.sum<number | string | null>('units').as('units'))
    .where('key', '=', key)
    .where('at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(units ?? 0);
}

/** Counts what turned out to be more than one, whatever that does to the limits. */
export async function countAdditionalHits(
  store: Store,
  { key, times, at }: { key: string; times: number; at: number },
) {
  // mutation: silent-rings-uncounted
  const rows = Array.from({ length: times }, () => ({ id: orderedId(), key, at }));
  if (rows.length > 0) await store.insertInto('limit_hits').values(rows).execute();
}

/** Takes back what was counted for a request that came to nothing. */
export const refundHits = (store: Store, hits: readonly string[]) =>
  store.deleteFrom('limit_hits').where('id', 'in', hits).execute();

/**
 * Forgets what was counted by these keys, and by every key that continues one of them. PostgreSQL reads the whole table for
 * that: its collation may order text so that a prefix is no range of the index.
 */
export async function forgetLimits(trx: StoreTransaction, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const continues =
      engineOf(trx) === 'sqlite'
        ? sql<boolean>`(key > ${`${key}:`} and key < ${`${key};`})`
        : sql<boolean>`starts_with(key, ${`${key}:`})`;
    await trx
      .deleteFrom('limit_hits')
      .where((hit) => hit.or([hit('key', '=', key), continues]))
      .execute();
  }
}

/** Nodes that count the same key wait for each other, in one order for all keys; SQLite's transactions already do. */
async function lockKeys(trx: StoreTransaction, limits: readonly RateLimit[]): Promise<void> {
  // mutation: count-together
  if (engineOf(trx) === 'sqlite') return;
  for (const key of limits.map((limit) => limit.key).sort()) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
  }
}
