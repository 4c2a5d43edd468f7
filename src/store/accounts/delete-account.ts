import { endLockouts } from '../access/lockouts.ts';
import { passkeysOf } from '../access/passkeys.ts';
import { groupsOf } from '../applications/account-groups.ts';
import { connectionsOfAccount } from '../applications/clients.ts';
import { type Database, engineOf, hasRow, type Store, type StoreTransaction } from '../database.ts';
import { redactAuditEntries } from '../operators/audit-log.ts';
import { notesAbout } from '../operators/notes.ts';
import { voidInvitations } from '../operators/operators.ts';
import { forgetLimits, limitKeysOf } from '../rate-limits.ts';
import { redactDeliveries } from '../webhooks/deliveries.ts';
import { type AccountsTable, emailKey } from './accounts.ts';

/** Sets when (ms since the epoch) an account is deleted, unless its owner signs in before. */
export const planDeletion = (trx: StoreTransaction, { id, at }: { id: string; at: number }) =>
  trx.updateTable('accounts').set({ delete_at: at }).where('id', '=', id).execute();

/** Cancels a planned deletion; true if there was one. */
export const cancelDeletion = (trx: StoreTransaction, id: string): Promise<boolean> =>
  hasRow(
    trx
      .updateTable('accounts')
      .set({ delete_at: null })
      .where('id', '=', id)
      .where('delete_at', 'is not', null)
      .returning('id'),
  );

export const accountsToDelete = (store: Store, { now, max }: { now: number; max: number }) =>
  store.selectFrom('accounts').select('id').where('delete_at', '<=', now).orderBy('delete_at').limit(max).execute();

/** An account due for deletion; undefined if its owner came back meanwhile. Call `lockAccountRow` before. */
export const dueAccount = (trx: StoreTransaction, { id, now }: { id: string; now: number }) =>
  trx.selectFrom('accounts').selectAll().where('id', '=', id).where('delete_at', '<=', now).executeTakeFirst();

interface Leaving {
  readonly account: Pick<AccountsTable, 'id' | 'email' | 'email_proven_at' | 'phone' | 'phone_confirmed_at'>;
  /** Identifies the address in rate limits and locks. */
  readonly emailHash: string;
}

/** Deletes calls, and links by email, whose confirmations an account used. Other people's for the same number stay. */
const deleteCallsOf = (trx: StoreTransaction, { email, phone, phone_confirmed_at: confirmedAt }: Leaving['account']) =>
  trx
    .deleteFrom('phone_calls')
    .where('used_at', 'is not', null)
    .where((call) =>
      call.or([
        call.and([call('phone', '=', phone), call('confirmed_at', '=', confirmedAt)]),
        call('outbox_id', 'in', trx.selectFrom('outbox').select('id').where('recipient', '=', email)),
      ]),
    )
    .execute();

/** Deletions that no foreign key makes, by table. */
export const deletions = {
  lockouts: (trx, { account: { id }, emailHash }) => endLockouts(trx, { emailHash, accountId: id, secondStep: true }),
  // Rate limits of a phone number or an unproven address protect its owner, who may be someone else: they only expire.
  limit_hits: (trx, { account: { id, email_proven_at }, emailHash }) =>
    forgetLimits(trx, [
      ...(email_proven_at === null ? [] : limitKeysOf('email', emailHash)),
      ...limitKeysOf('account', id),
    ]),
  mail_codes: (trx, { account: { email } }) =>
    trx.deleteFrom('mail_codes').where('email_key', '=', emailKey(email)).execute(),
  unreachable_addresses: (trx, { account: { email } }) =>
    trx.deleteFrom('unreachable_addresses').where('email_key', '=', emailKey(email)).execute(),
  operator_invitations: (trx, { account: { email } }) => voidInvitations(trx, emailKey(email)),
  phone_calls: (trx, { account }) => deleteCallsOf(trx, account),
  audit_log: (trx, { account: { id } }) => redactAuditEntries(trx, id),
  // Receivers still get the deletion and the events before it, with the account's id only.
  webhook_deliveries: (trx, { account: { id } }) => redactDeliveries(trx, id),
  openid_records: (trx, { account: { id } }) =>
    trx
      .deleteFrom('openid_records')
      .where('grant_id', 'in', trx.selectFrom('client_grants').select('id').where('account_id', '=', id))
      .execute(),
  // Emails of other accounts to this address stay, such as the link with which its owner undoes a theft.
  outbox: (trx, { account: { id, email } }) =>
    trx
      .deleteFrom('outbox')
      .where((row) =>
        row.or([row('account_id', '=', id), row.and([row('account_id', 'is', null), row('recipient', '=', email)])]),
      )
      .execute(),
} satisfies Partial<Record<keyof Database, (trx: StoreTransaction, leaving: Leaving) => Promise<unknown>>>;

/**
 * Waits for the transactions that refer to the account, which may have written rows without a foreign key, such as an
 * email, and refuses later ones. Without it, the deletion would wait only once it has deleted those rows.
 */
async function closeAccountRow(trx: StoreTransaction, id: string): Promise<void> {
  if (engineOf(trx) === 'sqlite') return;
  await trx.selectFrom('accounts').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Deletes an account and its data in every table, including rows that only have its address. */
export async function deleteAccount(trx: StoreTransaction, leaving: Leaving): Promise<void> {
  await closeAccountRow(trx, leaving.account.id);
  for (const deleteRows of Object.values(deletions)) await deleteRows(trx, leaving);
  await trx.deleteFrom('accounts').where('id', '=', leaving.account.id).execute();
}

const maxConnections = 10_000;

/** All data of an account in this wing, by table, the oldest first. */
export async function readAccountData(store: Store, accountId: string) {
  const own = 'account_id';
  return {
    consents: await store.selectFrom('consents').selectAll().where(own, '=', accountId).orderBy('id').execute(),
    sessions: await store.selectFrom('sessions').selectAll().where(own, '=', accountId).orderBy('created_at').execute(),
    devices: await store.selectFrom('devices').selectAll().where(own, '=', accountId).orderBy('created_at').execute(),
    passkeys: await passkeysOf(store, accountId),
    activity: await store.selectFrom('activity').selectAll().where(own, '=', accountId).orderBy('id').execute(),
    notes: await notesAbout(store, { accountId, max: maxConnections }),
    groups: await groupsOf(store, accountId),
    connected_clients: await connectionsOfAccount(store, { accountId, max: maxConnections }),
    outbox: await store.selectFrom('outbox').selectAll().where(own, '=', accountId).orderBy('id').execute(),
  };
}
