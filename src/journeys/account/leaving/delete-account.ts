import { reauthenticate } from '../../../access/prove-password.ts';
import { shutOut } from '../../../access/shut-out.ts';
import { refuse } from '../../../contract/failures.ts';
import { days } from '../../../contract/units.ts';
import { enqueueCapped, enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { endSession } from '../../../store/access/sessions.ts';
import { type AccountsTable, emailKey, lockAccountRow } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import {
  accountsToDelete,
  deleteAccount as deleteAll,
  dueAccount,
  planDeletion,
} from '../../../store/accounts/delete-account.ts';
import { undoableUntil } from '../../../store/accounts/email-changes.ts';
import { endGrantsOfAccount } from '../../../store/applications/end-grants.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { eachApart } from '../../../store/database.ts';
import { endGivenBy, isLastOwner } from '../../../store/operators/operators.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { recordEvent } from '../../../store/webhooks/record-event.ts';
import * as contract from '../account.contract.ts';

interface DeletionRequest {
  readonly accountId: string;
  readonly sessionId: string;
  readonly authTime: number;
  readonly password: string | undefined;
  readonly visitor: Visitor;
}

/** Plans the deletion of the signed-in user's account; requires the password, or a recent proof of identity. */
export const deleteAccount = (
  service: Service,
  { password, accountId, authTime, sessionId, visitor }: DeletionRequest,
): Promise<void> =>
  reauthenticate(
    service,
    { endpoint: contract.deleteAccount, accountId, authTime, password, from: visitor },
    (account) => shutDown(service, { account, sessionId, visitor }),
  );

interface ShutDown {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly visitor: Visitor;
}

async function shutDown(service: Service, { account, sessionId, visitor }: ShutDown): Promise<void> {
  const at = service.now();
  await service.store.transaction().execute(async (trx) => {
    const session = { endpoint: contract.deleteAccount, accountId: account.id, sessionId, now: at };
    const current = await lockSignedInAccount(trx, session);
    if (await isLastOwner(trx, account.id)) throw refuse(contract.deleteAccount, 'last_owner');
    await endSession(trx, { id: sessionId, reason: 'signed_out', at });
    await beginDeletion(service, trx, { account: current, visitor, at });
  });
  service.outbox.wake();
}

interface Departure {
  /** Its row is locked. */
  readonly account: AccountsTable;
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
  readonly at: number;
}

/**
 * Ends all access and plans the deletion, which a sign-in cancels. The account stays at least until a former owner can
 * no longer undo a change of address. A second request changes nothing. Returns when (ms since the epoch) it is deleted.
 */
export async function beginDeletion(
  { config, parts }: Pick<Service, 'parts'> & { readonly config: Pick<Service['config'], 'DELETION_GRACE_DAYS'> },
  trx: StoreTransaction,
  { account, visitor, at }: Departure,
): Promise<number> {
  const { id: accountId } = account;
  const when = Math.max(at + days(config.DELETION_GRACE_DAYS), await undoableUntil(trx, { accountId, now: at }));
  if (when <= at) await deleteForGood(trx, account, at);
  if (when <= at || account.delete_at !== null) return account.delete_at ?? at;
  await planDeletion(trx, { id: accountId, at: when });
  await shutOut(trx, { account, cause: 'deletion_planned', at, parts });
  await recordActivity(trx, { accountId, at, kind: 'deletion_requested', visitor });
  await enqueueCapped(trx, { notice: 'deletion_planned', params: { when }, account, at });
  return when;
}

/** Deletes immediately. The last email belongs to no account; the outbox clears its address once it is sent. */
export async function deleteForGood(trx: StoreTransaction, account: AccountsTable, now: number): Promise<void> {
  // Before the account is gone: applications learn of the sign-out.
  await endGrantsOfAccount(trx, { accountId: account.id, at: now });
  await endGivenBy(trx, { accountId: account.id, keysSince: 0, at: now });
  await deleteAll(trx, { account, emailHash: sha256(emailKey(account.email)) });
  await recordEvent(trx, { type: 'account.deleted', accountId: account.id, at: now });
  const { email, email_proven_at, name, locale } = account;
  await enqueueEmail(trx, {
    notice: 'account_deleted',
    params: { when: now },
    account: { email, email_proven_at, name, locale },
    at: now,
  });
}

const batchSize = 100;

/** Deletes the accounts whose grace period is over. Returns how many. */
export async function deleteDueAccounts({
  store,
  outbox,
  now,
}: Pick<Service, 'store' | 'now'> & { outbox: Pick<Service['outbox'], 'wake'> }): Promise<number> {
  const due = await accountsToDelete(store, { now: now(), max: batchSize });
  const deleting = eachApart(due, ({ id }) =>
    store.transaction().execute(async (trx) => {
      await lockAccountRow(trx, id);
      const account = await dueAccount(trx, { id, now: now() });
      if (account) await deleteForGood(trx, account, now());
    }),
  );
  await deleting.finally(() => due.length > 0 && outbox.wake());
  return due.length;
}
