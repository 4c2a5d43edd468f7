import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Milliseconds; less than the timeout of a request's statement. */
const longest = 800;

/**
 * Holds all inserts into a table until two of them wait, so that they race even on a busy machine, where one request
 * would end before the next one begins.
 */
export async function meetAtInsert<T>(databaseUrl: string, table: string, send: () => Promise<T>): Promise<T> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(`lock table ${table} in share mode`);
    const sent = send();
    const began = performance.now();
    let waiting = 0;
    while (waiting < 2 && performance.now() - began < longest) {
      await pause(5);
      const { rows } = await holder.query<{ waiting: number }>(
        'select count(*)::int as waiting from pg_locks where relation = $1::regclass and not granted',
        [table],
      );
      waiting = rows[0]?.waiting ?? 0;
    }
    await holder.query('commit');
    return await sent;
  } finally {
    await holder.end();
  }
}
