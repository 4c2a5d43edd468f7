import type { Store } from '../database.ts';
import { type OutboxTable, suppressedReason } from './outbox.ts';

interface DeliveryTry {
  /** Emails of one kind; the result excludes them. */
  readonly emails: readonly Pick<OutboxTable, 'id' | 'account_id' | 'notice'>[];
  readonly since: number;
}

/**
 * Accounts whose other emails of that kind were sent or given up since then, or are being sent; not suppressed ones.
 */
export async function accountsTriedSince(store: Store, { emails, since }: DeliveryTry): Promise<Set<string>> {
  const accounts = emails.flatMap(({ account_id: account }) => account ?? []);
  const tried = await store
    .selectFrom('outbox')
    .select('account_id')
    .distinct()
    .where('account_id', 'in', accounts)
    .where(
      'notice',
      'in',
      emails.map(({ notice }) => notice),
    )
    .where(
      'id',
      'not in',
      emails.map(({ id }) => id),
    )
    .where((where) =>
      where.or([
        where('sent_at', '>', since),
        where.and([where('gave_up_at', '>', since), where('last_error', '!=', suppressedReason)]),
        where.and([where('sent_at', 'is', null), where('gave_up_at', 'is', null), where('leased_until', '>', since)]),
      ]),
    )
    .execute();
  return new Set(tried.flatMap(({ account_id: account }) => account ?? []));
}
