import { sql } from 'kysely';
import { engineOf, type Store } from './database.ts';

/**
 * SQLSTATE: connection (08), read-only after a fail-over (25006), authorization (28), rollback due to a conflict (40),
 * out of space or connections (53), lock not available (55P03), shutdown or timeout (57), system error (58); and what an
 * operator meets during a restore: no database (3D000), one that accepts no connections (55000), no privilege yet (42501), no
 * table (42P01) or constraint (42P10) yet. A pooler that loses prepared statements (26000, 42P05) ran none.
 */
const passingStates = /^(?:08|28|40|53|57|58)|^(?:25006|55P03|3D000|55000|42501|42P01|42P10|26000|42P05)$/;
const socketFaults = /^(?:ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN)/;
/** Busy, locked, read-only, I/O error, corrupt, full, cannot open, not a database: https://sqlite.org/rescode.html. */
const passingResults: readonly number[] = [5, 6, 8, 10, 11, 13, 14, 26];

/**
 * Whether the database was down, full, busy, read-only or unreadable: nothing was stored, and a later try may succeed.
 */
export function isTransientError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR') return passingResults.includes(Number(errcode) & 0xff);
  return typeof code === 'string' && (passingStates.test(code) || socketFaults.test(code));
}

/** SQLSTATE 53100, and SQLite's result code. */
const fullDisk: readonly unknown[] = ['53100', 13];

export const isOutOfSpace = (error: unknown): boolean => hasCode(error, fullDisk);

/** Why a database that was asked to store something did not, in an operator's words. */
export function refusalToWrite(error: unknown): string {
  if (isOutOfSpace(error)) return 'database: the disk is full';
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // SQLSTATE, and SQLite's result code without its extension.
  return code === '25006' || (Number(errcode) & 0xff) === 8 ? 'database: read-only' : 'database';
}

/** SQLSTATE 23505, and SQLite's extended result code. */
const uniqueViolations: readonly unknown[] = ['23505', 2067];

/** Whether another writer was quicker to insert a unique value. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, uniqueViolations);

/** SQLSTATE 23503, and SQLite's extended result code. */
const referenceViolations: readonly unknown[] = ['23503', 787];

/** Whether the referenced row was deleted meanwhile, as an account may be at any moment. */
export const isForeignKeyViolation = (error: unknown): boolean => hasCode(error, referenceViolations);

const hasCode = (error: unknown, codes: readonly unknown[]): boolean =>
  typeof error === 'object' &&
  error !== null &&
  Object.entries(error).some(([name, value]) => (name === 'code' || name === 'errcode') && codes.includes(value));

/** A single row that a node writes to test whether the database accepts writes. */
interface WriteProbesTable {
  id: number;
  at: number;
}

declare module './database.ts' {
  interface Database {
    write_probes: WriteProbesTable;
  }
}

/** Tests writing: a database that responds may still be full, or a read-only copy. */
export async function tryWriting(store: Store, now: number): Promise<void> {
  await sql`insert into write_probes (id, at) values (1, ${now}) on conflict (id) do update set at = ${now}`.execute(
    store,
  );
  if (engineOf(store) === 'postgres') await growFile.execute(store);
}

/**
 * On PostgreSQL, that row fits into a page and a log that exist already, even on a full disk. A result larger than
 * `work_mem` needs a temporary file beside the tables; the operator may have forbidden those.
 */
const growFile = sql`do $$
begin
  perform set_config('work_mem', '64kB', true);
  perform count(*) from generate_series(1, 8192);
exception when configuration_limit_exceeded then null;
end $$`;
