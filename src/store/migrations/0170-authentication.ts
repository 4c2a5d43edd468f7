import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // How the session began. Older nodes write null, which stands for one unknown factor.
  await db.schema.alterTable('sessions').addColumn('amr', 'text').execute();
  await db.schema.alterTable('sessions').addColumn('acr', 'text').execute();
  // When an authenticator was confirmed, so that sign-ins need a second step.
  await db.schema.alterTable('accounts').addColumn('second_step_at', 'bigint').execute();
  // Until when a known device needs no second step.
  await db.schema.alterTable('devices').addColumn('remembered_until', 'bigint').execute();
}
