import { sql } from 'kysely';
import { minutes } from '../../contract/units.ts';
import type { Store } from '../../store/database.ts';
import { singleUse } from '../../store/single-use.ts';
import { recentIn } from '../../store/wrong-clock.ts';

/** A link that connects a chat to an account, by whoever follows it first. */
interface TelegramLinksTable {
  /** SHA-256 of 128 random bits. */
  token_hash: string;
  account_id: string;
  created_at: number;
}

declare module '../../store/database.ts' {
  interface Database {
    telegram_links: TelegramLinksTable;
  }
}

export const telegramLinkLifetime = minutes(10);

export const telegramLinks = singleUse('telegram_links', {
  lifetime: telegramLinkLifetime,
  keeps: false,
  together: true,
});

/** Whether somebody may be about to follow one. */
export async function areTelegramLinksOpen(store: Store, now: number): Promise<boolean> {
  const open = await store
    .selectFrom('telegram_links')
    .select('token_hash')
    .where(recentIn(sql.ref('created_at'), { now, within: telegramLinkLifetime }))
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}
