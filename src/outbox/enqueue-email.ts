import type { LanguageCode } from '../contract/languages.ts';
import type { StoreTransaction } from '../store/database.ts';
import { addEmail } from '../store/emails/outbox.ts';
import { orderedId } from '../store/ordered-id.ts';
import { type AnyNotice, isUrgent } from './notices.ts';

/** What the outbox has to know of whoever it writes to. */
export interface Recipient {
  /** The account's id; an address that has no account yet has none. */
  readonly id?: string | undefined;
  readonly email: string;
  /** Where no name is known the address greets. */
  readonly name?: string | undefined;
  readonly locale: LanguageCode;
  /** In which moments are told, besides UTC. */
  readonly time_zone?: string | null | undefined;
}

/** A notice, to whom it goes, and when it was written (ms since the epoch). */
export type NewNotice = AnyNotice & {
  readonly account: Recipient;
  readonly at: number;
  /** Until then it is kept, so that more of the kind can be gathered into it. */
  readonly due?: number;
};

/**
 * Posts a notice: it leaves if, and only if, the transaction that it announces commits. Returns the letter's id.
 * Call the outbox's `wake()` after the commit, else it leaves within a second.
 */
export async function enqueueEmail(
  trx: StoreTransaction,
  { account, at, due, notice, params }: NewNotice,
): Promise<string> {
  const id = orderedId();
  await addEmail(trx, {
    id,
    account_id: account.id ?? null,
    channel: 'mail',
    notice,
    urgent: isUrgent(notice) ? 1 : 0,
    locale: account.locale,
    recipient: account.email,
    params: JSON.stringify({ ...params, name: account.name, zone: account.time_zone ?? undefined }),
    created_at: due ?? at,
  });
  return id;
}
