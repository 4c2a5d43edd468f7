import { sql } from 'kysely';
import { engineOf, type Store } from './database.ts';

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
