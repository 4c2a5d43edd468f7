import { sql } from 'kysely';
import type { Store } from './database.ts';

/** One row, which is written to find out whether anything can be. */
export interface WriteProbesTable {
  id: number;
  at: number;
}

declare module './database.ts' {
  interface Database {
    write_probes: WriteProbesTable;
  }
}

/** Writes for trial: a database that only answers may be full, or a copy that takes no changes. */
export const tryWriting = (store: Store, now: number) =>
  sql`insert into write_probes (id, at) values (1, ${now}) on conflict (id) do update set at = ${now}`.execute(store);
