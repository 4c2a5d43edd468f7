import { days, hours } from '../../contract/units.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { emailTimes, findOpenBatch, rewriteEmail } from '../../store/emails/outbox.ts';
import { enqueueEmail, type NewNotice, type Recipient } from '../enqueue-email.ts';
import type { NoticeWith } from '../notices.ts';

/** How often emails of a kind may leave; events in between are batched. */
interface Pace {
  /** Milliseconds. */
  readonly every: number;
  readonly aDay: number;
}

const usualPace: Pace = { every: hours(1), aDay: 5 };
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
}

interface BatchableEvents extends BatchableNotice {
  readonly first: object;
  /** Further events of the same moment. */
  readonly rest: readonly object[];
  /** Milliseconds for which even the first email waits for further events. */
  readonly batchWait: number;
  readonly pace: Pace;
  /** Moves the time at which an email leaves to a later one that suits its reader. */
  readonly postpone: (due: number) => number;
}

/** Enqueues a notice of a frequent event: at most one email an hour and five a day, which cover all events. */
export const enqueueBatched = (
  trx: StoreTransaction,
  { item, ...notice }: BatchableNotice & { readonly item: object },
): Promise<void> =>
  enqueueBatch(trx, { ...notice, first: item, rest: [], batchWait: 0, pace: usualPace, postpone: (due) => due });

/** Enqueues a notice of events that often happen together, at a pace of its own. */
export async function enqueueBatch(
  trx: StoreTransaction,
  { notice, first, rest, account, at, batchWait, pace, postpone }: BatchableEvents,
): Promise<void> {
  const kind = { accountId: account.id, notice, now: at };
  const openBatch = await findOpenBatch(trx, { ...kind, recipient: account.email });
  if (openBatch) {
    const batch = [first, ...rest].reduce(withAnother, JSON.parse(openBatch.params) as BatchedItem<object>);
    if (await rewriteEmail(trx, { id: openBatch.id, params: JSON.stringify(batch) })) return;
  }
  const times = await emailTimes(trx, { ...kind, max: pace.aDay });
  const due = postpone(Math.max(at + batchWait, (times[0] ?? 0) + pace.every, (times[pace.aDay - 1] ?? 0) + days(1)));
  const params = rest.reduce(withAnother, first);
  await enqueueEmail(trx, { notice, params, account, at, due } as NewNotice);
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
