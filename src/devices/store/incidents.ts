import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { minutes } from '../../contract/units.ts';
import { engineOf, orderedId, type Store, type StoreTransaction } from '../../store/database.ts';
import { type AlarmKind, isMoment } from '../contract/alarm-kinds.ts';

/** What happened to computers of an account together. Times are in milliseconds since the epoch. */
export interface IncidentsTable {
  /** UUID version 7: sorts by time. */
  id: string;
  account_id: string;
  kind: AlarmKind;
  /** The last signal of the first silent computer, or when we noticed the first warning. */
  began_at: number;
  /** The same of the last computer that joined. */
  latest_at: number;
  opened_at: number;
  /** When a computer last joined or came back. */
  changed_at: number;
  /** When it is judged next; null once it has ended. */
  due_at: number | null;
  /** How many computers the first message named: the subject of all emails about it stays equal. */
  first_size: number;
  /** How many computers the last message was about; 0 before the first one. */
  announced: number;
  /** Since when messages escalate. */
  announced_at: number | null;
  unstable: 0 | 1;
  /** A tag and an address that all members share. */
  tag: string | null;
  address: string | null;
  ended_at: number | null;
  acknowledged_at: number | null;
  note: string;
  /** When its owner first saw it. */
  seen_at: number | null;
}

/** A computer of an incident, as it was when it joined. It stays when the computer is removed. */
export interface IncidentMembersTable {
  incident_id: string;
  computer_id: string;
  name: string;
  /** A JSON array of strings. */
  tags: string;
  /** The public address that it last reported from. */
  address: string | null;
  /** Id of the rule by which it is an alarm; empty for the default delivery, as from older nodes. */
  rule: string;
  /** Its last signal, or when we noticed anything else. */
  since: number;
  joined_at: number;
  back_at: number | null;
}

declare module '../../store/database.ts' {
  interface Database {
    incidents: IncidentsTable;
    incident_members: IncidentMembersTable;
  }
}

/** An incident is judged so often, or it waits for a clock that was set back. */
const longestWait = minutes(5);

/** Incidents to be judged, by account. */
export const dueIncidents = (store: Store, { now, max }: { now: number; max: number }) =>
  store
    .selectFrom('incidents')
    .select(['id', 'account_id'])
    .where((row) => row.or([row('due_at', '<=', now), row('due_at', '>', now + longestWait)]))
    .orderBy('due_at')
    .limit(max)
    .execute();

/** An account's incidents that have not ended, the oldest first. Lock the account's row before a change. */
export const openIncidentsOf = (store: Store, accountId: string): Promise<IncidentsTable[]> =>
  store
    .selectFrom('incidents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('due_at', 'is not', null)
    .orderBy('id')
    .execute();

interface OwnedIncident {
  readonly id: string;
  readonly accountId: string;
}

export const incidentOf = (store: Store, { id, accountId }: OwnedIncident): Promise<IncidentsTable | undefined> =>
  store.selectFrom('incidents').selectAll().where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst();

/** An account's incidents, the newest first. */
export const incidentsOf = (store: Store, { accountId, limit }: { accountId: string; limit: number }) =>
  store
    .selectFrom('incidents')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

type Opening = Pick<IncidentsTable, 'account_id' | 'kind' | 'began_at' | 'opened_at' | 'due_at' | 'unstable'>;

export async function openIncident(trx: StoreTransaction, opening: Opening): Promise<IncidentsTable> {
  const incident: IncidentsTable = {
    ...opening,
    id: orderedId(),
    latest_at: opening.began_at,
    changed_at: opening.opened_at,
    first_size: 0,
    announced: 0,
    announced_at: null,
    tag: null,
    address: null,
    ended_at: null,
    acknowledged_at: null,
    note: '',
    seen_at: null,
  };
  await trx.insertInto('incidents').values(incident).execute();
  return incident;
}

type IncidentChange = Partial<Omit<IncidentsTable, 'id' | 'account_id' | 'kind'>>;

export const changeIncident = (store: Store, id: string, change: IncidentChange) =>
  store.updateTable('incidents').set(change).where('id', '=', id).execute();

/** Judges an incident as soon as possible, unless it has ended. */
export const judgeSoon = (store: Store, { id, now }: { id: string; now: number }) =>
  store.updateTable('incidents').set({ due_at: now }).where('id', '=', id).where('due_at', 'is not', null).execute();

/** SQLite and PostgreSQL limit the parameters of a statement. */
const batchSize = 500;

/** Adds computers, or makes them fall again. */
export async function addMembers(
  trx: StoreTransaction,
  members: readonly Omit<IncidentMembersTable, 'back_at'>[],
): Promise<void> {
  for (let at = 0; at < members.length; at += batchSize)
    await trx
      .insertInto('incident_members')
      .values(members.slice(at, at + batchSize).map((member) => ({ ...member, back_at: null })))
      .onConflict((conflict) =>
        conflict.columns(['incident_id', 'computer_id']).doUpdateSet((row) => ({
          since: row.ref('excluded.since'),
          rule: row.ref('excluded.rule'),
          back_at: null,
        })),
      )
      .execute();
}

interface MemberRange {
  readonly incidentId: string;
  readonly limit: number;
}

/** Members in the order in which they fell. */
export const membersOf = (store: Store, { incidentId, limit }: MemberRange): Promise<IncidentMembersTable[]> =>
  store
    .selectFrom('incident_members')
    .selectAll()
    .where('incident_id', '=', incidentId)
    .orderBy('since')
    .orderBy('computer_id')
    .limit(limit)
    .execute();

export interface MemberCounts {
  readonly total: number;
  readonly open: number;
  /** The last return of a member. */
  readonly back_at: number | null;
  /** When the last member joined. */
  readonly joined_at: number;
}

export async function countMembers(store: Store, incidentId: string): Promise<MemberCounts> {
  const counts = await store
    .selectFrom('incident_members')
    .select(({ fn }) => [
      fn.countAll<number | string>().as('total'),
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
  { id, kind, now }: Pick<IncidentsTable, 'id' | 'kind'> & { readonly now: number },
): Promise<number> {
  // A time in the future is from before the clock was set back.
  await trx
    .updateTable('incident_members')
    .set({ since: now })
    .where('incident_id', '=', id)
    .where('since', '>', now)
    .execute();
  const still = stillSo(kind, now);
  const back = await trx
    .updateTable('incident_members')
    .set({ back_at: now })
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
  return Number(back.numUpdatedRows);
}

/** What all members share. */
export async function sharedBy(store: Store, incidentId: string): Promise<Pick<IncidentsTable, 'tag' | 'address'>> {
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

interface Judging {
  readonly incidentId: string;
  /** One computer; all unless given. */
  readonly computerId?: string | undefined;
}

/** The members that have not come back, as they are now. */
export const openMembers = (trx: StoreTransaction, { incidentId, computerId }: Judging) =>
  trx
    .selectFrom('incident_members')
    .innerJoin('computers', 'computers.id', 'incident_members.computer_id')
    .select(['computers.id', 'computers.tags', 'computers.kind', 'incident_members.rule'])
    .where('incident_id', '=', incidentId)
    .where('back_at', 'is', null)
    .$if(computerId !== undefined, (rows) => rows.where('computer_id', '=', computerId ?? ''))
    .execute();

interface MemberChange {
  readonly incidentId: string;
  readonly ids: readonly string[];
}

export async function changeMembers(
  trx: StoreTransaction,
  { incidentId, ids }: MemberChange,
  change: Partial<Pick<IncidentMembersTable, 'rule' | 'back_at'>>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += batchSize)
    await trx
      .updateTable('incident_members')
      .set(change)
      .where('incident_id', '=', incidentId)
      .where('computer_id', 'in', ids.slice(at, at + batchSize))
      .execute();
}

interface Fallen {
  readonly accountId: string;
  readonly kind: AlarmKind;
  readonly ids: readonly string[];
}

/** Which open incident these computers belong to already, by their ids. */
export async function openIncidentsWith(
  trx: StoreTransaction,
  { accountId, kind, ids }: Fallen,
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (let at = 0; at < ids.length; at += batchSize) {
    const rows = await trx
      .selectFrom('incident_members')
      .innerJoin('incidents', 'incidents.id', 'incident_members.incident_id')
      .select(['incident_members.computer_id', 'incidents.id'])
      .where('incident_members.computer_id', 'in', ids.slice(at, at + batchSize))
      .where('incidents.account_id', '=', accountId)
      .where('incidents.kind', '=', kind)
      .where('incidents.due_at', 'is not', null)
      .execute();
    for (const { computer_id, id } of rows) known.set(computer_id, id);
  }
  return known;
}

/** Whether an incident with one of these computers ended since then. */
export async function endedSince(trx: StoreTransaction, { accountId, kind, ids }: Fallen, since: number) {
  const ended = await trx
    .selectFrom('incident_members')
    .innerJoin('incidents', 'incidents.id', 'incident_members.incident_id')
    .select('incidents.id')
    .where('incident_members.computer_id', 'in', ids.slice(0, batchSize))
    .where('incidents.account_id', '=', accountId)
    .where('incidents.kind', '=', kind)
    .where('incidents.ended_at', '>', since)
    .executeTakeFirst();
  return ended !== undefined;
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

/** How many incidents nobody has looked at. */
export async function countUnseen(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('incidents')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('account_id', '=', accountId)
    .where('seen_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Records that its owner saw it. */
export const seeIncident = (store: Store, { id, at }: { id: string; at: number }) =>
  store.updateTable('incidents').set({ seen_at: at }).where('id', '=', id).where('seen_at', 'is', null).execute();

/** Locks an incident of the account; undefined if it has none with this id. Lock the account's row before. */
export const lockIncident = (trx: StoreTransaction, { id, accountId }: OwnedIncident) =>
  trx
    .selectFrom('incidents')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .$if(engineOf(trx) === 'postgres', (row) => row.forNoKeyUpdate())
    .executeTakeFirst();
