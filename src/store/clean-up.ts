import { sql } from 'kysely';
import { days, hours } from '../contract/durations.ts';
import type { Database, Store } from './database.ts';
import { deviceLifetime } from './devices.ts';

/** Rows that nothing asks for any more: how each table knows them, and for how long they are kept after their end. */
const outdated = (now: number): readonly { table: keyof Database; key: string; when: ReturnType<typeof sql> }[] => [
  { table: 'sessions', key: 'id', when: sql`expires_at < ${now - days(30)}` },
  { table: 'limit_hits', key: 'id', when: sql`at < ${now - hours(25)}` },
  { table: 'lockouts', key: 'key', when: sql`locked_until < ${now} and pending_since < ${now - days(1)}` },
  { table: 'devices', key: 'token_hash', when: sql`last_seen_at < ${now - deviceLifetime}` },
  { table: 'reset_links', key: 'token_hash', when: sql`created_at < ${now - days(7)}` },
  { table: 'phone_calls', key: 'id', when: sql`created_at < ${now - days(7)}` },
  // A link's hour is counted from its mail's sending, so mails outlive their links.
  { table: 'outbox', key: 'id', when: sql`sent_at < ${now - days(30)}` },
  { table: 'outbox', key: 'id', when: sql`gave_up_at < ${now - days(30)}` },
];

/** Few enough that no request waits noticeably behind one statement. */
const atOnce = 200;

/** Deletes what is outdated, in small portions. Returns how many rows went. */
export async function cleanUp(store: Store, now: number): Promise<number> {
  let total = 0;
  for (const { table, key, when } of outdated(now)) {
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where ${sql.ref(key)} in
          (select ${sql.ref(key)} from ${sql.table(table)} where ${when} limit ${sql.lit(atOnce)})`.execute(store);
      total += Number(numAffectedRows);
      if (numAffectedRows < BigInt(atOnce)) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return total;
}
