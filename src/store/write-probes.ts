import { sql } from 'kysely';
import type { Store } from './database.ts';

/** A single row that a node writes to test whether the database accepts writes. */
export interface WriteProbesTable {
  id: number;
  at: number;
}

declare module './database.ts' {
  interface Database {
    write_probes: WriteProbesTable;
  }
}

/** Tests writing: a database that responds may still be full, or a read-only copy. */
export const tryWriting = (store: Store, now: number) =>
  sql`insert into write_probes (id, at) values (1, ${now}) on conflict (id) do update set at = ${now}`.execute(store);
