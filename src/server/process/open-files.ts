import { readFileSync } from 'node:fs';

/** Descriptors for the database, logs, files in progress, outgoing connections, and Node itself. */
const reserve = 64;

/**
 * The number of connections that the system's limit of open files leaves room for; infinite where the limit is unknown.
 */
export function mostConnections({ DATABASE_POOL }: { readonly DATABASE_POOL: number }): number {
  return Math.max(1, openFilesLimit() - reserve - DATABASE_POOL);
}

/** Node raises its soft limit to the hard one when it starts. */
function openFilesLimit(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
