import { days, hours } from '../../contract/durations.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { emailTimes, findOpenBatch, rewriteEmail } from '../../store/emails/outbox.ts';
import { enqueueEmail, type NewNotice, type Recipient } from '../enqueue-email.ts';
import type { NoticeWith } from '../notices.ts';

/** A letter is in no hurry once another one has just said the same: what comes after it is gathered. */
const emailEvery = hours(1);
const emailsADay = 5;
/** More than a letter tells one by one is only counted. */
const listedOneByOne = 10;

/** What happened first, others that were gathered behind it, and how many more are not told one by one. */
type BatchedItem<Item> = Item & { readonly others?: readonly Item[]; readonly more?: number };

interface BatchableNotice {
  readonly notice: NoticeWith<'gathered'>;
  readonly item: object;
  readonly account: Recipient & { readonly id: string };
  readonly at: number;
}

/** Posts a notice of something that may happen often: one letter an hour and five a day, which tell of all of it. */
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
 * Posts a notice that only tells, unless as many of its kind as anybody reads went out within a day: whoever has an account
 * with a stranger's address must not fill that mailbox. What is not told is a line of the activity.
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
