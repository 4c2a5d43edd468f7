import { pathIn } from '../contract/languages.ts';
import { hours } from '../contract/units.ts';
import { enqueueEmail } from '../outbox/enqueue-email.ts';
import { randomSecret, sha256 } from '../security/macs.ts';
import type { Service } from '../server/service.ts';
import {
  accountOfRemoval,
  addRemoval,
  consumeDueRemoval,
  dueRemovals,
  pendingSignIns,
  removalDueAt,
  stopRemoval as stop,
} from '../store/access/second-step.ts';
import { type AccountsTable, findAccount, lockAccountRow, lockAndFindAccount } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../store/database.ts';
import { eachApart } from '../store/database.ts';
import type { Visitor } from '../store/visitor.ts';
import type { Keep } from './once.ts';
import { endSecondStep, reportChange, requestOrigin } from './second-step.ts';

type VisitorSeen = Pick<Visitor, 'ip' | 'userAgent'>;

/**
 * Plans the removal of a lost second step, and emails the owner a link that stops it. A repeated request changes nothing.
 * Returns when it takes effect (ms since the epoch). Lock the account's row before.
 */
export async function requestRemoval(
  {
    config,
    secrets,
  }: Pick<Service, 'secrets'> & {
    readonly config: Pick<Service['config'], 'PUBLIC_URL' | 'SECOND_STEP_REMOVAL_HOURS'>;
  },
  trx: StoreTransaction,
  { account, visitor, at }: { readonly account: AccountsTable; readonly visitor: VisitorSeen; readonly at: number },
): Promise<number> {
  const planned = await removalDueAt(trx, account.id);
  if (planned !== null) return planned;
  const secret = randomSecret(256);
  const dueAt = at + hours(config.SECOND_STEP_REMOVAL_HOURS);
  await addRemoval(trx, { account_id: account.id, token_hash: sha256(secret), requested_at: at, due_at: dueAt });
  await recordActivity(trx, { accountId: account.id, at, kind: 'second_step_removal_requested', visitor });
  const link = new URL(pathIn(account.locale, '/keep-second-step/'), config.PUBLIC_URL);
  link.searchParams.set('hash', secret);
  const params = { link: link.href, when: dueAt, origin: requestOrigin({ visitor, at }) };
  await enqueueEmail(trx, { notice: 'second_step_removal', params, account, at, secrets });
  return dueAt;
}

interface RemovalStop {
  readonly accountId: string;
  readonly visitor: VisitorSeen;
  readonly at: number;
}

/**
 * Stops the requested removal, even one that is due but has not taken effect; true if there was one. Also ends sign-ins
 * that wait for their second step, such as that of the person who requested it. Lock the account's row before.
 */
export async function stopRemoval(trx: StoreTransaction, { accountId, visitor, at }: RemovalStop): Promise<boolean> {
  if (!(await stop(trx, accountId))) return false;
  await pendingSignIns.void(trx, accountId);
  const account = await findAccount(trx, accountId);
  if (account) await reportChange(trx, { account, change: 'kept', visitor, at });
  return true;
}

/** Stops a removal with the link in its email. Returns the account's id; undefined if the removal was not planned. */
export async function stopRemovalByLink(
  { store, now, outbox }: Pick<Service, 'store' | 'now' | 'outbox'>,
  { secret, visitor, keep }: { secret: string; visitor: VisitorSeen; keep: Keep<string> },
): Promise<string | undefined> {
  const tokenHash = sha256(secret);
  const stopped = await store.transaction().execute(async (trx) => {
    const accountId = await accountOfRemoval(trx, tokenHash);
    if (accountId === undefined) return undefined;
    await lockAccountRow(trx, accountId);
    // While it waited for the row, the removal may have ended, and another may have been planned.
    if ((await accountOfRemoval(trx, tokenHash)) !== accountId) return undefined;
    const at = now();
    if (!(await stopRemoval(trx, { accountId, visitor, at }))) return undefined;
    await keep(trx, { accountId, result: accountId, at });
    return accountId;
  });
  if (stopped !== undefined) outbox.wake();
  return stopped;
}

const batchSize = 100;
/** How a change by the service itself appears in the activity log. */
const serviceItself: VisitorSeen = { ip: '', userAgent: 'vestibule' };

/** Removes the second steps whose delay is over, each on exactly one node. Returns how many were due. */
export async function applyDueRemovals({
  store,
  outbox,
  now,
}: Pick<Service, 'store' | 'now'> & { outbox: Pick<Service['outbox'], 'wake'> }): Promise<number> {
  const due = await dueRemovals(store, { now: now(), max: batchSize });
  const removing = eachApart(due, ({ account_id: accountId }) =>
    store.transaction().execute(async (trx) => {
      const account = await lockAndFindAccount(trx, accountId);
      const at = now();
      if (!account) return;
      if (!(await consumeDueRemoval(trx, { accountId, now: at }))) return;
      if (await endSecondStep(trx, accountId))
        await reportChange(trx, { account, change: 'lost', visitor: serviceItself, at });
    }),
  );
  await removing.finally(() => due.length > 0 && outbox.wake());
  return due.length;
}
