import { post } from '../../outbox/post.ts';
import { noHash } from '../../security/foreign/hashes.ts';
import { forgetDevices } from '../../store/access/devices.ts';
import { endSessionsOf } from '../../store/access/sessions.ts';
import { type AccountsTable, setPassword } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity.ts';
import { forgetEmailWishes } from '../../store/accounts/email-changes.ts';
import { forgetEnrolments } from '../../store/computers/enrolments.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';

interface Taken {
  readonly account: AccountsTable;
  readonly visitor: Visitor;
  readonly now: number;
}

/**
 * Leaves the account to whoever reads its mail alone: no password, session or device from before opens it, and the owner
 * is told. What was entered stays, since it is mostly their own.
 */
export async function shutOthersOut(trx: StoreTransaction, { account, visitor, now }: Taken): Promise<void> {
  const accountId = account.id;
  await setPassword(trx, { accountId, hash: noHash, at: now });
  await endSessionsOf(trx, { accountId, reason: 'ended_elsewhere', at: now });
  await forgetEmailWishes(trx, accountId);
  await forgetEnrolments(trx, accountId);
  await forgetDevices(trx, accountId);
  await recordActivity(trx, { accountId, at: now, kind: 'password_changed', visitor });
  const params = { when: now, byCode: true };
  // The name may be a stranger's.
  await post(trx, { notice: 'password_changed', params, account: { ...account, name: '' }, at: now });
}
