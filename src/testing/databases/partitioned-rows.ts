import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { addRecords, seqOf } from '../../devices/store/records.ts';
import { firstIdOf, type Store } from '../../store/database.ts';
import { storePerson } from './databases.ts';

/** Adds an account with a computer to a store; returns functions that add rows of any time (ms since the epoch). */
export async function openRows(store: Store) {
  const [{ id: account }, computer] = [await storePerson(store), randomUUID()];
  await sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
    values (${computer}, ${account}, 'Office', 'linux', ${computer}, 0, 0, '1')`.execute(store);
  const idAt = (at: number) => `${firstIdOf(at).slice(0, 24)}${randomUUID().slice(24)}`;
  return {
    account,
    computer,
    /** Sends records to the store as the computer does; returns how many were new. */
    report: (...records: readonly { readonly id: string; readonly at: number }[]) =>
      store.transaction().execute((trx) =>
        addRecords(
          trx,
          records.map(({ id, at }, place) => ({
            ...{ seq: seqOf(at, place), account_id: account, computer_id: computer },
            ...{ id, at, kind: 'start', text: 'It runs.' },
          })),
        ),
      ),
    act: (at: number) =>
      store
        .insertInto('activity')
        .values({ id: idAt(at), account_id: account, at, kind: 'signed_in', ip: '::1', user_agent: '' })
        .execute(),
    notice: (at: number) =>
      store
        .insertInto('notifications')
        .values({ id: idAt(at), account_id: account, at, kind: 'computer_added', name: '', read_at: null })
        .execute(),
  };
}

/** The names of a table's partitions. */
export async function partitionNames(store: Store, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
    join pg_class on pg_class.oid = inhrelid where inhparent = to_regclass(${table}) order by name`.execute(store);
  return rows.map(({ name }) => name);
}
