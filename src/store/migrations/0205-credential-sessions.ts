import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/**
 * Nullable columns without a default: neither engine reads or rewrites rows. They do not refer to `sessions`, whose rows
 * are cleaned up earlier.
 */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  for (const table of ['passkeys', 'authenticators', 'recovery_codes'])
    await db.schema.alterTable(table).addColumn('session_id', 'text').execute();
  await db.schema.alterTable('email_changes').addColumn('requested_in', 'text').execute();
  await db.schema.alterTable('email_changes').addColumn('confirmed_in', 'text').execute();
}
