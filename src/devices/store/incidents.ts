import { minutes } from '../../contract/units.ts';
import { engineOf, orderedId, type Store, type StoreTransaction } from '../../store/database.ts';
import type { AlarmKind } from '../contract/alarm-kinds.ts';
import { decidingFor, kindOf } from '../contract/alarm-rules.ts';
import { alarmPlanOf } from './alarm-plans.ts';
import { batchSize, changeMembers, openMembers } from './incident-members.ts';
import { followMembers } from './notifications.ts';

/** What happened to computers of an account together. Times are in milliseconds since the epoch. */
export interface IncidentsTable {
  /** UUID version 7: sorts by time. */
  id: string;
  account_id: string;
  kind: AlarmKind;
  /** The last signal of the first silent computer, or when the first warning began. */
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
  /** When its owner first saw it with its current computers. */
  seen_at: number | null;
}

declare module '../../store/database.ts' {
  interface Database {
    incidents: IncidentsTable;
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

/** The same for those about silence: a device is heard again. */
export const judgeSilencesSoon = (store: Store, { accountId, now }: { accountId: string; now: number }) =>
  store
    .updateTable('incidents')
    .set({ due_at: now })
    .where('account_id', '=', accountId)
    .where('kind', '=', 'computer_silent')
    .where('due_at', '>', now)
    .execute();

interface Fallen {
  readonly accountId: string;
  readonly kind: AlarmKind;
  readonly ids: readonly string[];
}

/** Which open incident these computers belong to already, by their ids: those that have not been back since then. */
export async function openIncidentsWith(
  trx: StoreTransaction,
  { accountId, kind, ids }: Fallen,
  since: number,
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
      .where((row) => row.or([row('back_at', 'is', null), row('back_at', '>', since)]))
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

const counted = (store: Store, accountId: string) =>
  store
    .selectFrom('incidents')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('account_id', '=', accountId);

/** How many incidents nobody has looked at. */
export const countUnseen = async (store: Store, accountId: string): Promise<number> =>
  Number((await counted(store, accountId).where('seen_at', 'is', null).executeTakeFirstOrThrow()).count);

/** How many incidents have not ended. */
export const countOpenIncidents = async (store: Store, accountId: string): Promise<number> =>
  Number((await counted(store, accountId).where('due_at', 'is not', null).executeTakeFirstOrThrow()).count);

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

interface Applied {
  readonly accountId: string;
  readonly at: number;
  /** The only computer whose rules changed, such as by its tags; all unless given. */
  readonly computerId?: string;
}

/**
 * Applies the current rules of an account to what is open: members of incidents follow the rules that decide for them now,
 * and those for which none is left leave. Lock the account's row before.
 */
export async function applyRules(trx: StoreTransaction, { accountId, at, computerId }: Applied): Promise<void> {
  const { rules } = await alarmPlanOf(trx, accountId);
  for (const incident of await openIncidentsOf(trx, accountId)) {
    const { id: incidentId, kind } = incident;
    const members = await openMembers(trx, { incidentId, computerId });
    const now = Map.groupBy(members, (member) => {
      const own = decidingFor(rules, { ...member, tags: JSON.parse(member.tags) as string[] });
      const all = own.filter((rule) => kindOf(rule) === kind && rule.by !== 'none');
      // Which record it was is over, but not whether its rule still exists.
      return (all.find((rule) => rule.id === member.rule) ?? (kind === 'record' ? undefined : all[0]))?.id ?? '';
    });
    for (const [rule, own] of now) {
      const ids = own.filter((member) => rule === '' || member.rule !== rule).map(({ id }) => id);
      await changeMembers(trx, { incidentId, ids }, rule === '' ? { back_at: at } : { rule });
    }
    await followMembers(trx, incident);
    if (members.length > 0) await judgeSoon(trx, { id: incidentId, now: at });
  }
}
