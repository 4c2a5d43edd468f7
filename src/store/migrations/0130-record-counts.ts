import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** A new table, so no rows are read or rewritten. It has no foreign key to computers: a removed one still counts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('record_counts')
    .addColumn('account_id', sql`text not null references accounts (id) on delete cascade`)
    .addColumn('computer_id', 'text', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('records', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('record_counts_key', ['account_id', 'computer_id', 'day'])
    .execute();
  await db.schema.createIndex('record_counts_day').on('record_counts').column('day').execute();
}
