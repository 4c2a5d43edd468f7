import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Older versions write `delivered_at` of webhooks, which has another name now. */
export const oldestCode = '0230-delivery-queue';

/** Emails, webhooks and logout notices wait in queues with the same columns (`store/queue.ts`). */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('webhook_deliveries').renameColumn('delivered_at', 'sent_at').execute();

  await db.schema
    .alterTable('logout_notices')
    .addColumn('leased_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('logout_notices').addColumn('sent_at', 'bigint').execute();
  await db.schema.alterTable('logout_notices').addColumn('gave_up_at', 'bigint').execute();
  await db.schema.alterTable('logout_notices').addColumn('last_error', 'text').execute();
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, {
    name: 'logout_notices_lane',
    on: 'logout_notices (client_id, due_at) where sent_at is null and gave_up_at is null',
  });
}
