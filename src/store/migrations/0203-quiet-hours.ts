import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('alarm_rules').addColumn('quiet_from', 'integer').execute();
  await db.schema.alterTable('alarm_rules').addColumn('quiet_until', 'integer').execute();
}
