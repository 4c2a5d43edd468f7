import { days } from '../../contract/durations.ts';
import type { Store } from '../../store/database.ts';
import { accountsTriedSince } from '../../store/emails/delivery-tries.ts';
import type { OutboxTable } from '../../store/emails/outbox.ts';
import { suppressedAmong } from '../../store/emails/suppression-list.ts';
import { goesAnyway, goesOnceADay } from '../notices.ts';

interface Claimed {
  /** Letters of one claim, the newest first where somebody waits for them. */
  readonly letters: readonly OutboxTable[];
  readonly now: number;
}

/**
 * Which of the letters stay here because their addresses are on the list: all but the link that takes an address off it, and
 * one recovery a day for each account, since without it nobody but the operator could let its owner in.
 */
export async function lettersToHoldBack(store: Store, { letters: emails, now }: Claimed): Promise<ReadonlySet<string>> {
  const isUnreachable = await suppressedAmong(store, emails);
  const held = emails.filter((email) => isUnreachable(email) && !goesAnyway(email.notice));
  const recoveries = held.filter(({ notice, account_id }) => goesOnceADay(notice) && account_id !== null);
  const asked = { letters: recoveries, since: now - days(1) };
  const tried = recoveries.length > 0 ? await accountsTriedSince(store, asked) : new Set<string>();
  const allowed = new Set<string>();
  for (const { id, account_id: account } of recoveries) {
    if (account === null || tried.has(account)) continue;
    tried.add(account);
    allowed.add(id);
  }
  return new Set(held.flatMap(({ id }) => (allowed.has(id) ? [] : [id])));
}
