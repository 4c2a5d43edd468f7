import type { CompiledQuery } from 'kysely';
import type { Engine } from './database.ts';
import { markAsynchronous } from './sqlite/asynchronous.ts';

/**
 * Lets a statement outside of transactions commit without an fsync. A power cut, or on PostgreSQL the crash of the
 * server, may undo its changes; the end of our process does not.
 */
export function commitAsynchronously<Row>(query: CompiledQuery<Row>, engine: Engine): CompiledQuery<Row> {
  if (engine === 'sqlite') return markAsynchronous(query);
  // Until the statement's own transaction ends, since behind a pooler others use the same session.
  const sql = `with changed as (${query.sql}) select *, set_config('synchronous_commit', 'off', true) from changed`;
  return { ...query, sql };
}
