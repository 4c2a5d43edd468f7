import { days } from '../../../contract/durations.ts';
import { refuse } from '../../../contract/refuse.ts';
import { tell } from '../../../outbox/delivery/gather.ts';
import { post } from '../../../outbox/post.ts';
import { sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/foundation.ts';
import { forgetMailCodes } from '../../../store/access/mail-codes.ts';
import { endOtherSessions, endSession } from '../../../store/access/sessions.ts';
import { type AccountsTable, emailKey, holdAccount, isPasswordOf } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity.ts';
import {
  accountsToDelete,
  deleteAccount as deleteAll,
  dueAccount,
  planDeletion,
} from '../../../store/accounts/delete-account.ts';
import { forgetEmailWishes } from '../../../store/accounts/email-changes.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { deleteAccount as contract } from '../account.contract.ts';

interface Asked {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly visitor: Visitor;
}

/** Ends every session, and has the account deleted when the days are over in which a sign-in takes it back. */
export async function deleteAccount(service: Service, { account, sessionId, visitor }: Asked): Promise<void> {
  const { id: accountId } = account;
  const now = service.now();
  const grace = days(service.config.DELETION_GRACE_DAYS);
  await service.store.transaction().execute(async (trx) => {
    if (!(await isPasswordOf(trx, account))) throw refuse(contract, 'not_signed_in');
    if (grace === 0) return deleteForGood(trx, account, now);
    await planDeletion(trx, { id: accountId, at: now + grace });
    await endOtherSessions(trx, { accountId, except: sessionId, reason: 'ended_elsewhere', at: now });
    await endSession(trx, { id: sessionId, reason: 'signed_out', at: now });
    await forgetMailCodes(trx, { accountId, now });
    await forgetEmailWishes(trx, accountId);
    await recordActivity(trx, { accountId, at: now, kind: 'deletion_requested', visitor });
    await tell(trx, { notice: 'deletion_planned', params: { when: now + grace }, account, at: now });
  });
  service.outbox.wake();
}

/** Deletes at once. The last letter has no account any more, and is forgotten with its address as soon as it has left. */
export async function deleteForGood(trx: StoreTransaction, account: AccountsTable, now: number): Promise<void> {
  await deleteAll(trx, { account, emailHash: sha256(emailKey(account.email)) });
  const { email, name, locale } = account;
  await post(trx, { notice: 'account_deleted', params: { when: now }, account: { email, name, locale }, at: now });
}

const mostAtOnce = 100;

/** Deletes the accounts whose days are over. Returns how many. */
export async function deleteDueAccounts({
  store,
  outbox,
  now,
}: Pick<Service, 'store' | 'now'> & { outbox: Pick<Service['outbox'], 'wake'> }): Promise<number> {
  const due = await accountsToDelete(store, { now: now(), most: mostAtOnce });
  for (const { id } of due) {
    await store.transaction().execute(async (trx) => {
      await holdAccount(trx, id);
      const account = await dueAccount(trx, { id, now: now() });
      if (account) await deleteForGood(trx, account, now());
    });
  }
  if (due.length > 0) outbox.wake();
  return due.length;
}
