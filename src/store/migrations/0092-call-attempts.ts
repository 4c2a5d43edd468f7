import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // Hash of the request's idempotency key; null if the page sent none, and for calls of older nodes.
  await db.schema.alterTable('phone_calls').addColumn('attempt', 'text').execute();
  // E.164: the number to call for a reverse call, stored so that a repeated request returns it again.
  await db.schema.alterTable('phone_calls').addColumn('number', 'text').execute();
}
