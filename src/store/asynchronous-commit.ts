import type { RawBuilder } from 'kysely';
import { engineOf, type Store } from './database.ts';
import { markAsynchronous } from './sqlite/asynchronous.ts';

/**
 * Executes a statement that commits without an fsync. A power cut, or on PostgreSQL the crash of the server, may undo its
 * changes; the end of our process does not. Never within a transaction, whose other changes would then be undone as well.
 */
export async function executeAsynchronously<Row>(store: Store, statement: RawBuilder<Row>): Promise<Row[]> {
  if (store.isTransaction) throw new Error('a transaction commits all of its changes in the same way');
  const query = statement.compile(store);
  if (engineOf(store) === 'sqlite') return (await store.executeQuery(markAsynchronous(query))).rows;
  // Until the statement's own transaction ends, since behind a pooler others use the same session.
  const sql = `with changed as (${query.sql}) select *, set_config('synchronous_commit', 'off', true) from changed`;
  return (await store.executeQuery<Row>({ ...query, sql })).rows;
}
