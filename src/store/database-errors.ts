/**
 * SQLSTATE: connection (08), read-only after a fail-over (25006), refused as a user (28), undone for others' sake (40),
 * out of space or connections (53), a lock (55P03), shut down or too slow (57), the system beneath (58).
 */
// mutation: no-connections-is-ours, broken-connection-is-ours
const passingStates = /^(?:08|28|40|53|57|58)|^(?:25006|55P03)$/;
const socketFaults = /^(?:ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN)/;
/** Busy, locked, read-only, input or output, damaged, full, cannot open, no database: https://sqlite.org/rescode.html. */
// mutation: full-disk-is-ours
const passingResults: readonly number[] = [5, 6, 8, 10, 11, 13, 14, 26];

/** Whether the database was away, full, busy, read-only or not to be read: the same request may work later, and nothing of it was kept. */
export function isTransientError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR') return passingResults.includes(Number(errcode) & 0xff);
  return typeof code === 'string' && (passingStates.test(code) || socketFaults.test(code));
}

/** SQLSTATE 23505, and SQLite's extended result code. */
const uniqueViolations: readonly unknown[] = ['23505', 2067];

/** Whether somebody else was quicker to write what there may be only one of. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, uniqueViolations);

/** SQLSTATE 23503, and SQLite's extended result code. */
const referenceViolations: readonly unknown[] = ['23503', 787];

/** Whether that to which something was to belong has been deleted meanwhile, as an account may be at any moment. */
export const isForeignKeyViolation = (error: unknown): boolean => hasCode(error, referenceViolations);

const hasCode = (error: unknown, codes: readonly unknown[]): boolean =>
  typeof error === 'object' &&
  error !== null &&
  Object.entries(error).some(([name, value]) => (name === 'code' || name === 'errcode') && codes.includes(value));
