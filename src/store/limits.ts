import { sql } from 'kysely';
import { engineOf, type Store } from './database.ts';
import { orderedId } from './ordered-id.ts';

/** One row for each counted request: an exact sliding window, the same on every node. */
export interface LimitHitsTable {
  id: string;
  key: string;
  at: number;
}

/**
 * Counts a request unless `limit` of them happened in the last `within` milliseconds.
 * Returns 0 when it was counted, else the time (ms since the epoch) at which one is free again.
 */
export function countRequest(
  store: Store,
  { key, limit, within, now }: { key: string; limit: number; within: number; now: number },
): Promise<number> {
  return store.transaction().execute(async (trx) => {
    // Two nodes that count the same key wait for each other; SQLite's transactions already do.
    if (engineOf(store) === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
    const hits = await trx
      .selectFrom('limit_hits')
      .select('at')
      .where('key', '=', key)
      .where('at', '>', now - within)
      .orderBy('at', 'desc')
      .limit(limit)
      .execute();
    const oldest = hits.at(limit - 1);
    if (oldest) return oldest.at + within;
    await trx.insertInto('limit_hits').values({ id: orderedId(), key, at: now }).execute();
    return 0;
  });
}
