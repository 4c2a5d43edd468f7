import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { minutes } from '../../contract/units.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { type AlarmKind, type AlarmValue, alarmValueOf, isMoment } from '../contract/alarm-kinds.ts';
import { sharesOf } from './alarm-facts.ts';

/** A computer of an incident, as it was when it joined. It stays when the computer is removed. */
export interface IncidentMembersTable {
  incident_id: string;
  computer_id: string;
  name: string;
  /** A JSON array of strings. */
  tags: string;
  /** The public address that it last reported from. */
  address: string | null;
  /** Id of the rule by which it is an alarm; empty for the default delivery. */
  rule: string;
  /** Its last signal, or when anything else began. */
  since: number;
  joined_at: number;
  back_at: number | null;
  /** In percent: the value that its rule is about, as it came back; null if nobody knows it. */
  end_value: number | null;
}

declare module '../../store/database.ts' {
  interface Database {
    incident_members: IncidentMembersTable;
  }
}

/** SQLite and PostgreSQL limit the parameters of a statement. */
export const batchSize = 500;

const notBack = { back_at: null, end_value: null };

/** Adds computers, or makes them fall again. */
export async function addMembers(
  trx: StoreTransaction,
  members: readonly Omit<IncidentMembersTable, keyof typeof notBack>[],
): Promise<void> {
  for (let at = 0; at < members.length; at += batchSize)
    await trx
      .insertInto('incident_members')
      .values(members.slice(at, at + batchSize).map((member) => ({ ...member, ...notBack })))
      .onConflict((conflict) =>
        conflict.columns(['incident_id', 'computer_id']).doUpdateSet((row) => ({
          since: row.ref('excluded.since'),
          rule: row.ref('excluded.rule'),
          ...notBack,
        })),
      )
      .execute();
}

interface MemberRange {
  readonly incidentId: string;
  readonly limit: number;
}

export interface IncidentMember extends IncidentMembersTable {
  /** Whether its computer is no longer in the account. */
  readonly removed: boolean;
}

/** Members in the order in which they fell. */
export async function membersOf(store: Store, { incidentId, limit }: MemberRange): Promise<IncidentMember[]> {
  const rows = await store
    .selectFrom('incident_members')
    .leftJoin('computers', 'computers.id', 'computer_id')
    .selectAll('incident_members')
    .select('computers.id as known')
    .where('incident_id', '=', incidentId)
    .orderBy('since')
    .orderBy('computer_id')
    .limit(limit)
    .execute();
  return rows.map(({ known, ...member }) => ({ ...member, removed: known === null }));
}

export interface MemberCounts {
  readonly total: number;
  readonly open: number;
  /** How many were not removed from the account. */
  readonly kept: number;
  /** The last return of a member. */
  readonly back_at: number | null;
  /** When the last member joined. */
  readonly joined_at: number;
}

export async function countMembers(store: Store, incidentId: string): Promise<MemberCounts> {
  const counts = await store
    .selectFrom('incident_members')
    .leftJoin('computers', 'computers.id', 'computer_id')
    .select(({ fn }) => [
      fn.countAll<number | string>().as('total'),
      fn.count<number | string>('computers.id').as('kept'),
      fn.count<number | string>('back_at').as('back'),
      fn.max<number | null>('back_at').as('back_at'),
      fn.max<number | null>('joined_at').as('joined_at'),
    ])
    .where('incident_id', '=', incidentId)
    .executeTakeFirstOrThrow();
  const total = Number(counts.total);
  return {
    total,
    open: total - Number(counts.back),
    kept: Number(counts.kept),
    back_at: counts.back_at,
    joined_at: counts.joined_at ?? 0,
  };
}

/** An incident about what has no duration goes on for so long, so that repetitions are no further ones. */
const momentLasts = minutes(15);

/** What holds for a member that has not come back. */
function stillSo(kind: AlarmKind, now: number): RawBuilder<SqlBool> {
  if (isMoment(kind)) return sql`incident_members.since > ${now - momentLasts}`;
  if (kind === 'computer_silent') return sql`computers.last_seen_at <= incident_members.since`;
  return sql`' ' || computers.alarm_warnings || ' ' like ${`% ${kind} %`}`;
}

/** Records which members have come back, were removed or are within limits again. Returns how many. */
export async function noteReturns(
  trx: StoreTransaction,
  { id, kind, now }: { readonly id: string; readonly kind: AlarmKind; readonly now: number },
): Promise<number> {
  // A time in the future is from before the clock was set back.
  for (const column of ['since', 'back_at'] as const)
    await trx
      .updateTable('incident_members')
      .set({ [column]: now })
      .where('incident_id', '=', id)
      .where(column, '>', now)
      .execute();
  const still = stillSo(kind, now);
  // Silence ends with the signal that we heard, not when we look.
  const heard = sql<
    number | null
  >`(select last_seen_at from computers where computers.id = incident_members.computer_id)`;
  const back = await trx
    .updateTable('incident_members')
    .set({ back_at: kind === 'computer_silent' ? sql<number>`coalesce(${heard}, ${now})` : now })
    .where('incident_id', '=', id)
    .where('back_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('computers')
            .select('computers.id')
            .whereRef('computers.id', '=', 'incident_members.computer_id')
            .where(still),
        ),
      ),
    )
    .executeTakeFirst();
  const returned = Number(back.numUpdatedRows);
  const value = alarmValueOf(kind);
  if (returned > 0 && value) await noteEndValues(trx, { incidentId: id, value, at: now });
  return returned;
}

interface Returned {
  readonly incidentId: string;
  readonly value: AlarmValue;
  readonly at: number;
}

/** Keeps the values with which members came back at this time. */
async function noteEndValues(trx: StoreTransaction, { incidentId, value, at }: Returned): Promise<void> {
  const members = await trx
    .selectFrom('incident_members')
    .innerJoin('computers', 'computers.id', 'incident_members.computer_id')
    .select(['computers.id', 'computers.readings'])
    .where('incident_id', '=', incidentId)
    .where('back_at', '=', at)
    .execute();
  const byValue = Map.groupBy(members, ({ readings }) => sharesOf(readings)[value]);
  for (const [share, own] of byValue)
    if (share !== undefined)
      await changeMembers(trx, { incidentId, ids: own.map(({ id }) => id) }, { end_value: Math.round(share) });
}

interface Shared {
  readonly tag: string | null;
  readonly address: string | null;
}

/** What all members share. */
export async function sharedBy(store: Store, incidentId: string): Promise<Shared> {
  const { address, addresses, without, tags, first } = await store
    .selectFrom('incident_members')
    .select(({ fn }) => [
      fn.min<string | null>('address').as('address'),
      fn.count<number | string>('address').distinct().as('addresses'),
      sql<number | string>`count(*) - count(address)`.as('without'),
      fn.count<number | string>('tags').distinct().as('tags'),
      fn.min<string | null>('tags').as('first'),
    ])
    .where('incident_id', '=', incidentId)
    .executeTakeFirstOrThrow();
  const own = JSON.parse(first ?? '[]') as string[];
  // Few computers have the same tags in full, so others are compared one by one.
  const others =
    Number(tags) === 1
      ? []
      : await store
          .selectFrom('incident_members')
          .select('tags')
          .distinct()
          .where('incident_id', '=', incidentId)
          .limit(batchSize)
          .execute();
  const lists = others.map((row) => JSON.parse(row.tags) as string[]);
  return {
    tag: own.find((tag) => lists.every((list) => list.includes(tag))) ?? null,
    address: Number(addresses) === 1 && Number(without) === 0 ? address : null,
  };
}

/** The rules by which the members of an incident are alarms. */
export async function rulesOfMembers(store: Store, incidentId: string): Promise<string[]> {
  const rows = await store
    .selectFrom('incident_members')
    .select('rule')
    .distinct()
    .where('incident_id', '=', incidentId)
    .execute();
  return rows.map(({ rule }) => rule);
}

interface OfComputers {
  readonly accountId: string;
  /** One computer; all unless given. */
  readonly computerId?: string | undefined;
}

/** The open incidents of an account's computers that have not come back, the oldest first. */
export const incidentsOfComputers = (store: Store, { accountId, computerId }: OfComputers) =>
  store
    .selectFrom('incidents')
    .innerJoin('incident_members', 'incident_members.incident_id', 'incidents.id')
    .innerJoin('computers', 'computers.id', 'incident_members.computer_id')
    .select(['computer_id', 'incidents.id', 'incidents.kind', 'acknowledged_at'])
    .where('incidents.account_id', '=', accountId)
    .where('due_at', 'is not', null)
    .where('back_at', 'is', null)
    // It reports again, before the incident was judged.
    .where(({ eb, or, ref }) =>
      or([
        eb('incidents.kind', '!=', 'computer_silent'),
        eb('computers.last_seen_at', '<=', ref('incident_members.since')),
      ]),
    )
    .$if(computerId !== undefined, (rows) => rows.where('computer_id', '=', computerId ?? ''))
    .orderBy('incidents.id')
    .execute();

interface OpenMembers {
  readonly incidentId: string;
  /** One computer; all unless given. */
  readonly computerId?: string | undefined;
  /** Without those that are muted then (ms since the epoch). */
  readonly unmutedAt?: number;
  readonly limit?: number | undefined;
}

/** The members that have not come back, as they are now. */
export const openMembers = (trx: StoreTransaction, { incidentId, computerId, unmutedAt, limit }: OpenMembers) =>
  trx
    .selectFrom('incident_members')
    .innerJoin('computers', 'computers.id', 'incident_members.computer_id')
    .select(['computers.id', 'computers.tags', 'computers.kind', 'incident_members.rule'])
    .where('incident_id', '=', incidentId)
    .where('back_at', 'is', null)
    .$if(computerId !== undefined, (rows) => rows.where('computer_id', '=', computerId ?? ''))
    .$if(unmutedAt !== undefined, (rows) => rows.where('muted_until', '<=', unmutedAt ?? 0))
    .$if(limit !== undefined, (rows) => rows.limit(limit ?? 0))
    .execute();

interface MemberChange {
  readonly incidentId: string;
  readonly ids: readonly string[];
}

export async function changeMembers(
  trx: StoreTransaction,
  { incidentId, ids }: MemberChange,
  change: Partial<Pick<IncidentMembersTable, 'rule' | 'back_at' | 'end_value'>>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += batchSize)
    await trx
      .updateTable('incident_members')
      .set(change)
      .where('incident_id', '=', incidentId)
      .where('computer_id', 'in', ids.slice(at, at + batchSize))
      .execute();
}

/** What an incident remembers of computers. */
export async function devicesCalled(trx: StoreTransaction, ids: readonly string[]) {
  const found = new Map<string, { readonly name: string; readonly tags: string; readonly address: string | null }>();
  for (let at = 0; at < ids.length; at += batchSize) {
    const rows = await trx
      .selectFrom('computers')
      .select(['id', 'name', 'tags', 'address'])
      .where('id', 'in', ids.slice(at, at + batchSize))
      .execute();
    for (const { id, ...device } of rows) found.set(id, device);
  }
  return found;
}
