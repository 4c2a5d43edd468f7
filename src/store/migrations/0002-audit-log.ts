import { type Kysely, sql } from 'kysely';
import { engineOf } from '../database.ts';
import { createIndexOnline } from './online.ts';

/** Older code adds entries without an id of their subject. */
export const oldestCode = '0001-baseline';

const kept = [
  ...['id', 'at', 'actor_kind', 'actor', 'origin', 'action', 'account_id', 'subject_id'],
  ...['position', 'previous', 'details', 'hash'],
];
const refusal = 'the audit log keeps its entries as they are';

/** What an entry is about as an id, besides the words for people. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`alter table audit_log add column subject_id text`.execute(db);
  const same = kept.map((column) => `new.${column} is not distinct from old.${column}`).join(' and ');
  const mayChange = `(new.subject = 'deleted' and new.reason is null and new.salt is null and ${same})`;
  const statements =
    engineOf(db) === 'sqlite'
      ? [
          'drop trigger audit_log_unchanged',
          `create trigger audit_log_unchanged before update on audit_log when not ${mayChange}
           begin select raise(abort, '${refusal}'); end`,
        ]
      : [
          'drop trigger audit_log_unchanged on audit_log',
          `create trigger audit_log_unchanged before update on audit_log
           for each row when (not ${mayChange}) execute function refuse_audit_change()`,
        ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, { name: 'audit_log_action', on: 'audit_log (action, id)' });
  await createIndexOnline(db, { name: 'audit_log_at', on: 'audit_log (at, id)' });
}
