import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/** Whether another process holds the lock that `lockWithFile` could not get. */
export const isLocked = (error: unknown): boolean => (error as { errcode?: unknown }).errcode === sqliteBusy;

/**
 * Holds a lock in a file until `unlock` or the end of the process, however it ends: the system releases the locks of SQLite,
 * and Node itself has none. Throws at once if another process holds it.
 */
export function lockWithFile(file: string): () => void {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => lock.close();
}
