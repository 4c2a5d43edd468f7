import { days, hours } from '../../contract/units.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { emailTimes, findOpenBatch, rewriteEmail } from '../../store/emails/outbox.ts';
import { enqueueEmail, type NewNotice, type Recipient } from '../enqueue-email.ts';
import type { NoticeWith } from '../notices.ts';

/** Emails of a frequent kind: at most one in this time (ms), and so many a day; events in between are batched. */
const usualPace = { every: hours(1), aDay: 5 };
/** Single emails of a kind a day to an owner who has proven the address: each may be the one that shows a theft. */
const provenADay = 50;
/** Items that an email lists; it only counts any further ones. */
const listedOneByOne = 10;

/** The first item, the ones batched with it, and the number of further ones that are only counted. */
type BatchedItem<Item> = Item & { readonly others?: readonly Item[]; readonly more?: number };

interface BatchableNotice {
  readonly notice: NoticeWith<'gathered'>;
  readonly account: Recipient & { readonly id: string };
  readonly at: number;
  readonly item: object;
}

/** Enqueues a notice of a frequent event: at most one email an hour and five a day, which cover all events. */
export async function enqueueBatched(
  trx: StoreTransaction,
  { notice, account, at, item }: BatchableNotice,
): Promise<void> {
  const kind = { accountId: account.id, notice, now: at };
  const openBatch = await findOpenBatch(trx, { ...kind, recipient: account.email });
  if (openBatch) {
    const batch = withAnother(JSON.parse(openBatch.params), item);
    if (await rewriteEmail(trx, { id: openBatch.id, params: JSON.stringify(batch) })) return;
  }
  const times = await emailTimes(trx, { ...kind, max: usualPace.aDay });
  const due = Math.max(at, (times[0] ?? 0) + usualPace.every, (times[usualPace.aDay - 1] ?? 0) + days(1));
  await enqueueEmail(trx, { notice, params: item, account, at, due } as NewNotice);
}

/**
 * Enqueues an informational notice, at most fifty of its kind a day, and five until the owner has proven the address: an
 * account with a stranger's address must not flood that mailbox. The activity log contains the rest.
 */
export async function enqueueCapped(
  trx: StoreTransaction,
  email: NewNotice & { readonly account: { readonly id: string } },
): Promise<void> {
  const { account, notice, at } = email;
  const aDay = account.email_proven_at === null ? usualPace.aDay : provenADay;
  const times = await emailTimes(trx, { accountId: account.id, notice, now: at, max: aDay });
  if ((times[aDay - 1] ?? 0) <= at - days(1)) await enqueueEmail(trx, email);
}

function withAnother({ others = [], more = 0, ...first }: BatchedItem<object>, item: object): BatchedItem<object> {
  return others.length + 1 < listedOneByOne
    ? { ...first, others: [...others, item], more }
    : { ...first, others, more: more + 1 };
}
