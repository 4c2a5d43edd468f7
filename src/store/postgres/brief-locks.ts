import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../database.ts';

/** How often we try to lock a table that another session uses; requests for the table pass between the attempts. */
export const lockTries = 60;
export const pauseBetweenTries = 1000;
/**
 * Milliseconds for which requests may queue behind a statement that waits for a lock: fewer than requests wait for the
 * database, and more than PostgreSQL's `deadlock_timeout`, after which an autovacuum gives way.
 */
const lockWaits = 1300;

/** Limits how long the statements of a transaction wait for a lock, in milliseconds. */
export const limitLockWaits = (trx: StoreTransaction, waits = lockWaits) =>
  sql`set local lock_timeout = ${sql.lit(waits)}`.execute(trx);

/** A lock timeout, or a deadlock that PostgreSQL resolved by ending this transaction. */
export const isLockRefusal = (error: unknown): boolean =>
  ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');

export const cannotLock = (who: string): string =>
  `DATABASE_URL: ${who} cannot lock its table, because another session uses it, such as pg_dump or an open transaction (pg_stat_activity lists them): end that session, then start again`;

/** Repeats a transaction until it gets its locks. Throws PostgreSQL's error after the last attempt. */
export async function withBriefLocks<T>(store: Store, work: (trx: StoreTransaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.transaction().execute(async (trx) => {
        await limitLockWaits(trx);
        return work(trx);
      });
    } catch (error) {
      if (!isLockRefusal(error) || tries === lockTries) throw error;
    }
    await pause(pauseBetweenTries);
  }
}
