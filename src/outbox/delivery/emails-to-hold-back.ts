import { days } from '../../contract/durations.ts';
import type { Store } from '../../store/database.ts';
import { accountsTriedSince } from '../../store/emails/delivery-tries.ts';
import type { OutboxTable } from '../../store/emails/outbox.ts';
import { suppressedAmong } from '../../store/emails/suppression-list.ts';
import { goesAnyway, goesOnceADay } from '../notices.ts';

interface Claimed {
  /** Emails of one claim; urgent ones are sorted newest first. */
  readonly emails: readonly OutboxTable[];
  readonly now: number;
}

/**
 * Returns the emails to hold back because their addresses are on the suppression list. Two kinds leave anyway: the link
 * that takes an address off the list, and one recovery a day for each account, so that its owner can get in without the
 * operator.
 */
export async function emailsToHoldBack(store: Store, { emails, now }: Claimed): Promise<ReadonlySet<string>> {
  const isUnreachable = await suppressedAmong(store, emails);
  const held = emails.filter((email) => isUnreachable(email) && !goesAnyway(email.notice));
  const recoveries = held.filter(({ notice, account_id }) => goesOnceADay(notice) && account_id !== null);
  const asked = { emails: recoveries, since: now - days(1) };
  const tried = recoveries.length > 0 ? await accountsTriedSince(store, asked) : new Set<string>();
  const allowed = new Set<string>();
  for (const { id, account_id: account } of recoveries) {
    if (account === null || tried.has(account)) continue;
    tried.add(account);
    allowed.add(id);
  }
  return new Set(held.flatMap(({ id }) => (allowed.has(id) ? [] : [id])));
}
