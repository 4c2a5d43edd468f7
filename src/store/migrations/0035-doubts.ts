import { type Kysely, sql } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Older code disables receivers only if they respond 410 Gone, and does not know why others are. */
export const oldestCode = '0001-baseline';

/** Which receivers and applications are from an operator who was shut out soon after, and who that was. */
export async function up(db: Kysely<any>): Promise<void> {
  // Null if the receiver responded 410 Gone.
  await sql`alter table webhook_receivers add column doubted_by text`.execute(db);
  for (const column of ['doubted_by text', 'doubted_at bigint'])
    await sql`alter table clients add column ${sql.raw(column)}`.execute(db);
}

export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, { name: 'audit_log_actor', on: 'audit_log (actor, at)' });
}
