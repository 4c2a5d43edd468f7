import { createHash, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { ActorKind, OperatorAction } from '../../contract/operators.ts';

import { engineOf, hasRow, orderedId, type Store, type StoreTransaction } from '../database.ts';
import { recentIn } from '../wrong-clock.ts';

/**
 * Append-only: triggers refuse other changes. Each entry contains the hash of its predecessor, so that a change, a gap and
 * another order show. The log outlives the accounts that it names.
 */
export interface AuditLogTable {
  /** UUID version 7: sorts by time. */
  id: string;
  at: number;
  actor_kind: ActorKind;
  /** A user of the operating system, the account of an operator, or the id of a key. */
  actor: string;
  /** The machine, and the address behind a remote terminal. */
  origin: string;
  action: OperatorAction;
  account_id: string | null;
  /** The object of the action for people, without a full address. */
  subject: string;
  /** The id in it, if programs need to find the object: a job, a receiver or an application. */
  subject_id: string | null;
  reason: string | null;
  /** Counts from 1 without gaps. */
  position: number;
  /** The hash of the entry before; empty for the first. */
  previous: string;
  /** Random, so that nobody can guess what `details` is the hash of. Null once the subject and the reason are deleted. */
  salt: string | null;
  /** The hash of salt, subject and reason. */
  details: string;
  hash: string;
}

/** How far the log was shortened: the position and the hash of the last entry that was removed. */
export interface AuditCheckpointsTable {
  position: number;
  hash: string;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    audit_log: AuditLogTable;
    audit_checkpoints: AuditCheckpointsTable;
  }
}

export type AuditRow = Selectable<AuditLogTable>;

type Unlinked = Omit<AuditRow, 'position' | 'previous' | 'salt' | 'details' | 'hash'>;

export type AuditEntry = Omit<Unlinked, 'id' | 'subject_id'> & { readonly subject_id?: string | null };

/** The subject of an entry about an account that was deleted. */
export const deletedSubject = 'deleted';

/** An advisory lock: without it, two entries would follow the same one. In SQLite, a transaction is alone anyway. */
const turn = '3853314791062309118';

async function takeTurn(trx: StoreTransaction): Promise<void> {
  if (engineOf(trx) === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(turn)}::bigint)`.execute(trx);
}

/** Adds an entry in the transaction of the act that it describes. Later entries wait until the transaction ends. */
export async function addAuditEntry(trx: StoreTransaction, entry: AuditEntry): Promise<void> {
  await takeTurn(trx);
  const link = linkTo(await endOfChain(trx), { id: orderedId(), subject_id: null, ...entry }, newSalt());
  await trx.insertInto('audit_log').values(link).execute();
}

const newSalt = () => randomBytes(16).toString('hex');

interface Link {
  readonly position: number;
  readonly hash: string;
}

/** The newest entry, or the last one that was removed. */
async function endOfChain(store: Store): Promise<Link> {
  const newest = await store
    .selectFrom('audit_log')
    .select(['position', 'hash'])
    .where('position', 'is not', null)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest) return newest;
  return (await lastCheckpoint(store)) ?? { position: 0, hash: '' };
}

export const lastCheckpoint = (store: Store) =>
  store.selectFrom('audit_checkpoints').selectAll().orderBy('position', 'desc').limit(1).executeTakeFirst();

function linkTo(last: Link, entry: Unlinked, salt: string) {
  const link = { ...entry, position: last.position + 1, previous: last.hash, salt };
  const linked = { ...link, details: hashOfDetails(link) };
  return { ...linked, hash: hashOf(linked) };
}

const sha256Of = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex');

/** SHA-256, in hexadecimal, of the JSON of an array without spaces: docs/run.md describes it for auditors. */
export const hashOfDetails = ({ salt, subject, reason }: Pick<AuditRow, 'salt' | 'subject' | 'reason'>): string =>
  sha256Of([salt, subject, reason]);

export const hashOf = (entry: Omit<AuditRow, 'salt' | 'hash'>): string => {
  const { position, previous, id, at, actor_kind, actor, origin, action, account_id, details } = entry;
  return sha256Of([position, previous, id, at, actor_kind, actor, origin, action, account_id, details]);
};

/** Removes what entries say about a person whose account is deleted; the chain only contains a salted hash of it. */
export const redactAuditEntries = (trx: StoreTransaction, accountId: string) =>
  trx
    .updateTable('audit_log')
    .set({ subject: deletedSubject, reason: null, salt: null })
    .where('account_id', '=', accountId)
    .execute();

/** Which entries of the audit log; all without any of them. */
export interface AuditFilter {
  readonly accountId?: string | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly actions?: readonly OperatorAction[] | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
}

const entriesWhere = (store: Store, { accountId, actorKind, actions, since }: AuditFilter) =>
  store
    .selectFrom('audit_log')
    .selectAll()
    .$if(accountId !== undefined, (rows) => rows.where('account_id', '=', accountId ?? ''))
    .$if(actorKind !== undefined, (rows) => rows.where('actor_kind', '=', actorKind ?? 'command'))
    .$if(actions !== undefined, (rows) => rows.where('action', 'in', actions ?? []))
    .$if(since !== undefined, (rows) => rows.where('at', '>=', since ?? 0));

interface NewestEntries extends AuditFilter {
  /** The id of a newer entry. */
  readonly before?: string | undefined;
  readonly without?: readonly OperatorAction[];
  readonly max: number;
}

/** Entries of the audit log, the newest first. */
export function listAuditEntries(store: Store, { before, without = [], max, ...filter }: NewestEntries) {
  const { accountId, actions = [], since } = filter;
  // The order is that of ids: without their first one, a search for the few since a time would read all others. To find
  // it, databases would walk through the ids themselves from the oldest on, unless the minimum is that of an expression.
  const first = store
    .selectFrom('audit_log')
    .select(sql<string>`min(id || '')`.as('id'))
    .where('at', '>=', since ?? 0);
  const newest = (some: AuditFilter) =>
    entriesWhere(store, some)
      .$if(since !== undefined, (rows) => rows.where('id', '>=', first))
      .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? ''))
      .$if(without.length > 0, (rows) => rows.where('action', 'not in', without))
      .orderBy('id', 'desc')
      .limit(max);
  if (accountId !== undefined || actions.length < 2) return newest(filter).execute();
  // One action after another, so that neither many entries of others nor of these have to be read or sorted.
  const [some, ...more] = actions.map((action) =>
    store.selectFrom(newest({ ...filter, actions: [action] }).as('newest')).selectAll(),
  );
  return more
    .reduce((all, one) => all.unionAll(one), some as NonNullable<typeof some>)
    .orderBy('id', 'desc')
    .limit(max)
    .execute();
}

type Described = Pick<AuditRow, 'account_id' | 'action' | 'actor' | 'origin' | 'reason'>;

/** Whether the log already says that someone has just done the same, from there and for that reason. */
export const hasRecentEntry = (
  store: Store,
  { account_id, action, actor, origin, reason }: Described,
  recently: { readonly now: number; readonly within: number },
): Promise<boolean> =>
  hasRow(
    store
      .selectFrom('audit_log')
      .select('id')
      .where('actor', '=', actor)
      .where(recentIn(sql.ref('at'), recently))
      .where('account_id', '=', account_id)
      .where('action', '=', action)
      .where('origin', '=', origin)
      .where('reason', 'is not distinct from', reason)
      .limit(1),
  );

interface Acts {
  readonly accountIds: readonly string[];
  readonly action: OperatorAction;
  readonly actor: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
}

/** The reason of some acts on accounts that belong together; null if none of their entries has it any more. */
export const reasonAmong = async (store: Store, { accountIds, action, actor, since, until }: Acts) =>
  (
    await store
      .selectFrom('audit_log')
      .select((row) => row.fn.max('reason').as('reason'))
      .where('account_id', 'in', ['', ...accountIds])
      .where('action', '=', action)
      .where('actor', '=', actor)
      .where('at', '>=', since)
      .where('at', '<=', until)
      .executeTakeFirstOrThrow()
  ).reason;

/** Whether an operator created an account, as far as the log goes back. */
export async function isCreatedByOperator(store: Store, accountId: string): Promise<boolean> {
  const action: OperatorAction = 'account_created';
  const created = store.selectFrom('audit_log').select('id').where('account_id', '=', accountId);
  return (await created.where('action', '=', action).limit(1).executeTakeFirst()) !== undefined;
}

interface NextEntries extends AuditFilter {
  readonly position: number;
  readonly max: number;
}

/** Linked entries after a position, in the order of the chain. */
export const auditEntriesAfter = (store: Store, { position, max, ...filter }: NextEntries) =>
  entriesWhere(store, filter).where('position', '>', position).orderBy('position').limit(max).execute();

/** The position before the first entry since a time (ms since the epoch); undefined if there is none. */
export async function positionBefore(store: Store, since: number): Promise<number | undefined> {
  const first = store.selectFrom('audit_log').select(sql<number | null>`min(position + 0)`.as('position'));
  const { position } = await first.where('at', '>=', since).executeTakeFirstOrThrow();
  return position === null ? undefined : Number(position) - 1;
}

/** Entries that somebody added outside of the chain. */
export function unlinkedEntries(store: Store, max: number) {
  const ids = store.selectFrom('audit_log').select('id');
  return ids
    .where('hash', 'is', null)
    .union(ids.where('position', 'is', null))
    .union(ids.where('position', '<', 1))
    .orderBy('id')
    .limit(max)
    .execute();
}

const perPortion = 500;

/**
 * Removes entries from before a time (ms since the epoch), and notes where the rest of the chain begins. Keeps older ones
 * that follow a newer one. Returns how many it removed.
 */
export async function shortenAuditLog(store: Store, { before, now }: { before: number; now: number }): Promise<number> {
  const until = await store.transaction().execute(async (trx) => {
    await takeTurn(trx);
    const { position: end } = await endOfChain(trx);
    const kept = await trx
      .selectFrom('audit_log')
      .select('position')
      .where('at', '>=', before)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst();
    const last = kept ? Number(kept.position) - 1 : end;
    const removed = await trx.selectFrom('audit_log').select('hash').where('position', '=', last).executeTakeFirst();
    if (!removed) return 0;
    await trx.insertInto('audit_checkpoints').values({ position: last, hash: removed.hash, at: now }).execute();
    return last;
  });
  for (let total = 0; ; ) {
    const portion = store.selectFrom('audit_log').select('id').where('position', '<=', until).limit(perPortion);
    const { numDeletedRows } = await store.deleteFrom('audit_log').where('id', 'in', portion).executeTakeFirstOrThrow();
    total += Number(numDeletedRows);
    if (Number(numDeletedRows) < perPortion) return total;
  }
}
