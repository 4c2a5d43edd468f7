import { days, hours } from '../../contract/durations.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { gatheringLetter, letterTimes, rewriteLetter } from '../../store/letters/outbox.ts';
import type { NoticeWith } from '../notices.ts';
import { type Addressee, type Letter, post } from '../post.ts';

/** A letter is in no hurry once another one has just said the same: what comes after it is gathered. */
const letterEvery = hours(1);
const lettersADay = 5;
/** More than a letter tells one by one is only counted. */
const toldOneByOne = 10;

/** What happened first, others that were gathered behind it, and how many more are not told one by one. */
type Gathered<Item> = Item & { readonly others?: readonly Item[]; readonly more?: number };

interface Told {
  readonly notice: NoticeWith<'gathered'>;
  readonly item: object;
  readonly account: Addressee & { readonly id: string };
  readonly at: number;
}

/** Posts a notice of something that may happen often: one letter an hour and five a day, which tell of all of it. */
export async function gather(trx: StoreTransaction, { notice, item, account, at }: Told): Promise<void> {
  const kind = { accountId: account.id, notice, now: at };
  const gathering = await gatheringLetter(trx, kind);
  if (gathering) {
    const params = JSON.stringify(withAnother(JSON.parse(gathering.params) as Gathered<object>, item));
    if (await rewriteLetter(trx, { id: gathering.id, params })) return;
  }
  const times = await letterTimes(trx, { ...kind, most: lettersADay });
  const due = Math.max(at, (times[0] ?? 0) + letterEvery, (times[lettersADay - 1] ?? 0) + days(1));
  await post(trx, { notice, params: item, account, at, due } as Letter);
}

/**
 * Posts a notice that only tells, unless as many of its kind as anybody reads went out within a day: whoever has an account
 * with a stranger's address must not fill that mailbox. What is not told is a line of the activity.
 */
export async function tell(
  trx: StoreTransaction,
  letter: Letter & { readonly account: { readonly id: string } },
): Promise<void> {
  const { account, notice, at } = letter;
  const times = await letterTimes(trx, { accountId: account.id, notice, now: at, most: lettersADay });
  if ((times[lettersADay - 1] ?? 0) <= at - days(1)) await post(trx, letter);
}

function withAnother({ others = [], more = 0, ...first }: Gathered<object>, item: object): Gathered<object> {
  return others.length + 1 < toldOneByOne
    ? { ...first, others: [...others, item], more }
    : { ...first, others, more: more + 1 };
}
