import { statSync } from 'node:fs';
import { companionsOf } from './files.ts';

/** SQLITE_READONLY_DBMOVED (https://sqlite.org/rescode.html). */
const databaseMoved = 1032;

/**
 * Returns a function that throws once a file of an open database is no longer at its path: SQLite would continue to write
 * to the nameless file, and the end of the process would delete these changes. Call it within a transaction, because SQLite
 * creates the write-ahead log with the first one.
 */
export function watchForMoves(file: string): () => void {
  const paths = [file, ...companionsOf(file)];
  const opened = new Map([[file, identify(file)]]);
  return () => {
    for (const path of paths) {
      const now = identify(path);
      const before = opened.get(path);
      if (before === undefined) opened.set(path, now);
      else if (now !== undefined && now !== before) throw moved(path);
    }
  };
}

/** Undefined if the path cannot be examined, as in a folder whose permissions have changed: the file may be in place. */
function identify(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.dev} ${found.ino}` : 'missing';
  } catch {
    return undefined;
  }
}

const moved = (path: string) =>
  Object.assign(
    new Error(`${path} was moved, replaced or deleted while the service uses it: put it back, or restart the service`),
    { code: 'ERR_SQLITE_ERROR', errcode: databaseMoved },
  );
