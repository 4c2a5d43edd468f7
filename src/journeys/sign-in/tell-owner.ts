import { days, hours } from '../../contract/durations.ts';
import { deviceName } from '../../outbox/device-name.ts';
import type { SignIn, SignIns } from '../../outbox/notices/new-device.ts';
import { post } from '../../outbox/post.ts';
import type { AccountsTable } from '../../store/accounts.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { gatheringLetter, letterTimes, rewriteLetter } from '../../store/outbox.ts';
import type { Visitor } from '../../store/visitor.ts';

/** A letter is in no hurry once another one has just said the same: what comes after it is gathered. */
const letterEvery = hours(1);
const lettersADay = 5;
/** More sign-ins than a letter tells one by one are only counted. */
const toldOneByOne = 10;

interface Told {
  readonly account: Pick<AccountsTable, 'id' | 'email' | 'email_proven_at' | 'mail_new_device' | 'name' | 'locale'>;
  readonly visitor: Visitor;
  readonly at: number;
}

/**
 * Tells an account's owner of a sign-in on a device that it has not seen: they know whether that is right. Not where
 * anybody may have entered the address, who could otherwise have us fill a stranger's mailbox.
 */
export async function tellOwner(trx: StoreTransaction, { account, visitor, at }: Told): Promise<void> {
  if (account.email_proven_at === null || account.mail_new_device === 0) return;
  const kind = { accountId: account.id, notice: 'new_device' };
  const signIn = { device: deviceName(visitor.userAgent), ip: visitor.ip, when: at };
  const gathering = await gatheringLetter(trx, { ...kind, now: at });
  if (gathering) {
    const params = JSON.stringify(withAnother(JSON.parse(gathering.params) as SignIns, signIn));
    if (await rewriteLetter(trx, { id: gathering.id, params })) return;
  }
  const times = await letterTimes(trx, { ...kind, most: lettersADay });
  const due = Math.max(at, (times[0] ?? 0) + letterEvery, (times[lettersADay - 1] ?? 0) + days(1));
  await post(trx, { notice: 'new_device', params: signIn, account, at, due });
}

function withAnother({ others = [], more = 0, ...first }: SignIns, signIn: SignIn): SignIns {
  return others.length + 1 < toldOneByOne
    ? { ...first, others: [...others, signIn], more }
    : { ...first, others, more: more + 1 };
}
