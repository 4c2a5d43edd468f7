import { sql } from 'kysely';
import type { Store } from '../database.ts';

/** A text that changes whenever an account has a new computer, heartbeat, record or notification. */
export async function accountVersion(store: Store, accountId: string): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`select
    (select count(*) from computers where account_id = ${accountId}) as computers,
    (select max(last_seen_at) from computers where account_id = ${accountId}) as seen,
    (select max(seq) from records where account_id = ${accountId}) as record,
    (select max(id) from notifications where account_id = ${accountId}) as notification`.execute(store);
  return Object.values(rows[0] ?? {}).join(' ');
}
