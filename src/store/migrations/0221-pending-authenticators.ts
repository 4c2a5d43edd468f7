import type { Kysely } from 'kysely';

/**
 * Versions that know this migration keep working after the one in this file. They keep unconfirmed secrets in
 * `authenticators`, so an owner whose setup moves between the versions begins again.
 */
export const oldestCode = '0001-front-door';

/** A new table only, so no rows are read or rewritten. It does not refer to `sessions`, whose rows outlive its own. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('pending_authenticators')
    .addColumn('session_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('pending_authenticators_account')
    .on('pending_authenticators')
    .column('account_id')
    .execute();
  await db.schema
    .createIndex('pending_authenticators_created')
    .on('pending_authenticators')
    .column('created_at')
    .execute();
}
