import { sql } from 'kysely';
import type { KeyRole, OperatorRole } from '../../contract/operators.ts';
import { minutes } from '../../contract/units.ts';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';
import { singleUse } from '../single-use.ts';
import { recentIn } from '../wrong-clock.ts';
import { addAuditEntry } from './audit-log.ts';

export interface OperatorsTable {
  account_id: string;
  role: OperatorRole;
  added_at: number;
}

/** When a session last sent a request as an operator. */
interface OperatorSessionsTable {
  session_id: string;
  seen_at: number;
}

interface OperatorInvitationsTable {
  hash: string;
  /** Only the account with this address can accept it. */
  email_key: string;
  role: OperatorRole;
  created_at: number;
  /** The account of the operator who sent it; null for the command line. */
  added_by: string | null;
}

declare module '../database.ts' {
  interface Database {
    operators: OperatorsTable;
    operator_sessions: OperatorSessionsTable;
    operator_invitations: OperatorInvitationsTable;
  }
}

export const invitationLifetime = minutes(30);

export const invitations = singleUse('operator_invitations', { lifetime: invitationLifetime, keeps: false });

/** Whether there is an invitation that was not used, even if it has expired. */
export const invitationExists = async (store: Store, hash: string): Promise<boolean> =>
  (await store.selectFrom('operator_invitations').select('hash').where('hash', '=', hash).executeTakeFirst()) !==
  undefined;

/** The invitations that still work, the oldest first. */
export const openInvitations = (store: Store, now: number) =>
  store
    .selectFrom('operator_invitations')
    .selectAll()
    .where(recentIn(sql.ref('created_at'), { now, within: invitationLifetime }))
    .orderBy('created_at')
    .orderBy('hash')
    .execute();

/** Voids the open invitations of an address. */
export const voidInvitations = (trx: StoreTransaction, emailKey: string) =>
  trx.deleteFrom('operator_invitations').where('email_key', '=', emailKey).execute();

interface Given {
  readonly accountId: string;
  /** Keeps keys that are older (ms since the epoch); all if undefined. */
  readonly keysSince: number | undefined;
  readonly at: number;
}

/** Ends what an operator gave to others, or to themselves: open invitations, and API keys. */
export async function endGivenBy(trx: StoreTransaction, { accountId, keysSince: since, at }: Given): Promise<void> {
  await trx.deleteFrom('operator_invitations').where('added_by', '=', accountId).execute();
  if (since === undefined) return;
  for (const { id, name } of await revokeKeysAddedBy(trx, { accountId, since, at }))
    await addAuditEntry(trx, {
      ...({ at, actor_kind: 'service', actor: 'shut-out', origin: '', action: 'operator_key_revoked' } as const),
      ...{ account_id: null, subject: `${id} (${name})`, reason: null },
    });
}

export const roleOf = async (store: Store, accountId: string): Promise<OperatorRole | undefined> =>
  (await store.selectFrom('operators').select('role').where('account_id', '=', accountId).executeTakeFirst())?.role;

/** The role, which stays the same until the transaction ends. */
export const heldRoleOf = async (trx: StoreTransaction, accountId: string): Promise<OperatorRole | undefined> =>
  (
    await trx
      .selectFrom('operators')
      .select('role')
      .where('account_id', '=', accountId)
      .$if(engineOf(trx) === 'postgres', (row) => row.forShare())
      .executeTakeFirst()
  )?.role;

/** Waits for the acts of an operator that hold the role, and makes later ones wait until the transaction ends. */
export async function lockOperator(trx: StoreTransaction, accountId: string): Promise<void> {
  if (engineOf(trx) !== 'postgres') return;
  await trx.selectFrom('operators').select('role').where('account_id', '=', accountId).forUpdate().execute();
}

/** Whether the account is an owner and no other will stay one. Makes parallel changes of owners wait. */
export async function isLastOwner(trx: StoreTransaction, accountId: string): Promise<boolean> {
  if ((await roleOf(trx, accountId)) !== 'owner') return false;
  const owners = trx.selectFrom('operators').where('role', '=', 'owner');
  if (engineOf(trx) === 'postgres') await owners.select('account_id').orderBy('account_id').forUpdate().execute();
  // Only now: another owner may have planned to leave while this transaction waited.
  const stays = await owners
    .innerJoin('accounts', 'accounts.id', 'operators.account_id')
    .select('account_id')
    .where('account_id', '!=', accountId)
    .where('delete_at', 'is', null)
    .where('locked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return stays === undefined;
}

export const setOperator = (trx: StoreTransaction, operator: OperatorsTable) =>
  trx
    .insertInto('operators')
    .values(operator)
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ role: operator.role }))
    .execute();

export const deleteOperator = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('operators').where('account_id', '=', accountId).execute();

/** The operators with their accounts: there are few. */
export const listOperators = (store: Store) =>
  store
    .selectFrom('operators')
    .innerJoin('accounts', 'accounts.id', 'operators.account_id')
    .select(['account_id', 'role', 'added_at', 'accounts.email', 'accounts.name', 'accounts.second_step_at'])
    .orderBy('added_at')
    .orderBy('account_id')
    .execute();

/** When a session last sent a request as an operator; 0 if it never did. */
export const operatorSeenAt = async (store: Store, sessionId: string): Promise<number> =>
  Number(
    (
      await store
        .selectFrom('operator_sessions')
        .select('seen_at')
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
    )?.seen_at ?? 0,
  );

export const markOperatorSeen = (store: Store, { sessionId, at }: { sessionId: string; at: number }) =>
  store
    .insertInto('operator_sessions')
    .values({ session_id: sessionId, seen_at: at })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ seen_at: at }))
    .execute();

/** Keys of the management API. Only their hashes are stored. */
export interface OperatorKeysTable {
  id: string;
  hash: string;
  name: string;
  role: KeyRole;
  /** Ranges of addresses (CIDR), separated by commas; empty for any address. */
  addresses: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  last_used_at: number | null;
  /** The account of the operator who added it; null for the command line. */
  added_by: string | null;
}

declare module '../database.ts' {
  interface Database {
    operator_keys: OperatorKeysTable;
  }
}

/** A key that is neither revoked nor expired. */
const usable = (store: Store, now: number) =>
  store.selectFrom('operator_keys').selectAll().where('revoked_at', 'is', null).where('expires_at', '>', now);

export const keyWithHash = (store: Store, { hash, now }: { hash: string; now: number }) =>
  usable(store, now).where('hash', '=', hash).executeTakeFirst();

/** The same by its id; nobody can revoke it until the transaction ends. */
export const holdKey = (trx: StoreTransaction, { id, now }: { id: string; now: number }) =>
  usable(trx, now)
    .where('id', '=', id)
    .$if(engineOf(trx) === 'postgres', (row) => row.forShare())
    .executeTakeFirst();

export const addKeyRow = (trx: StoreTransaction, key: OperatorKeysTable) =>
  trx.insertInto('operator_keys').values(key).execute();

/** Revokes a key; undefined if there is none with this id that works. */
export const revokeKeyRow = (trx: StoreTransaction, { id, at }: { id: string; at: number }) =>
  trx
    .updateTable('operator_keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .executeTakeFirst();

/** Revokes the keys that an operator added at a time (ms since the epoch) or later. */
const revokeKeysAddedBy = (
  trx: StoreTransaction,
  { accountId, since, at }: { accountId: string; since: number; at: number },
) =>
  trx
    .updateTable('operator_keys')
    .set({ revoked_at: at })
    .where('added_by', '=', accountId)
    .where('created_at', '>=', since)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();

/** All keys, the newest first: there are few. */
export const listKeys = (store: Store) =>
  store.selectFrom('operator_keys').selectAll().orderBy('created_at', 'desc').orderBy('id').execute();

export const markKeyUsed = (store: Store, { id, at }: { id: string; at: number }) =>
  store.updateTable('operator_keys').set({ last_used_at: at }).where('id', '=', id).execute();
