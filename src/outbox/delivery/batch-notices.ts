import { days, hours } from '../../contract/durations.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { emailTimes, findOpenBatch, rewriteEmail } from '../../store/emails/outbox.ts';
import { enqueueEmail, type NewNotice, type Recipient } from '../enqueue-email.ts';
import type { NoticeWith } from '../notices.ts';

/** After an email, further events of its kind are batched for this long. */
const emailEvery = hours(1);
const emailsADay = 5;
/** Items that an email lists; it only counts any further ones. */
const listedOneByOne = 10;

/** The first item, the ones batched with it, and the number of further ones that are only counted. */
type BatchedItem<Item> = Item & { readonly others?: readonly Item[]; readonly more?: number };

interface BatchableNotice {
  readonly notice: NoticeWith<'gathered'>;
  readonly item: object;
  readonly account: Recipient & { readonly id: string };
  readonly at: number;
}

/** Enqueues a notice of a frequent event: at most one email an hour and five a day, which cover all events. */
export async function enqueueBatched(
  trx: StoreTransaction,
  { notice, item, account, at }: BatchableNotice,
): Promise<void> {
  const kind = { accountId: account.id, notice, now: at };
  const openBatch = await findOpenBatch(trx, kind);
  if (openBatch) {
    const params = JSON.stringify(withAnother(JSON.parse(openBatch.params) as BatchedItem<object>, item));
    if (await rewriteEmail(trx, { id: openBatch.id, params })) return;
  }
  const times = await emailTimes(trx, { ...kind, most: emailsADay });
  const due = Math.max(at, (times[0] ?? 0) + emailEvery, (times[emailsADay - 1] ?? 0) + days(1));
  await enqueueEmail(trx, { notice, params: item, account, at, due } as NewNotice);
}

/**
 * Enqueues an informational notice, at most five of its kind a day: an account with a stranger's address must not flood
 * that mailbox. The activity log contains the rest.
 */
export async function enqueueCapped(
  trx: StoreTransaction,
  email: NewNotice & { readonly account: { readonly id: string } },
): Promise<void> {
  const { account, notice, at } = email;
  const times = await emailTimes(trx, { accountId: account.id, notice, now: at, most: emailsADay });
  if ((times[emailsADay - 1] ?? 0) <= at - days(1)) await enqueueEmail(trx, email);
}

function withAnother({ others = [], more = 0, ...first }: BatchedItem<object>, item: object): BatchedItem<object> {
  return others.length + 1 < listedOneByOne
    ? { ...first, others: [...others, item], more }
    : { ...first, others, more: more + 1 };
}
