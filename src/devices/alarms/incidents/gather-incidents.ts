import { hours, minutes, seconds } from '../../../contract/units.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { type AlarmKind, isMoment } from '../../contract/alarm-kinds.ts';
import { addMembers, devicesCalled } from '../../store/incident-members.ts';
import {
  changeIncident,
  endedSince,
  type IncidentsTable,
  openIncident,
  openIncidentsOf,
  openIncidentsWith,
} from '../../store/incidents.ts';
import { followMembers } from '../../store/notifications.ts';

/** The first message waits so long for further computers: those that fail together sent their last heartbeats within it. */
export const gathersFor = seconds(60);
/** Computers that fell within this time of others fell with them; heartbeats are a minute apart. */
const togetherWithin = minutes(5);
/** Those with the same address also later. */
const togetherAt = hours(1);
/** A computer that falls again in this time goes on in its incident; if that has ended, the next one is unstable. */
export const flapsWithin = hours(1);

interface Fall {
  /** The computer's id. */
  readonly computer: string;
  readonly kind: AlarmKind;
  /** Id of the rule by which it is an alarm. */
  readonly rule: string;
  /** Its last signal, or when anything else began (ms since the epoch). */
  readonly when: number;
}

/** Adds what happened to open incidents, or opens new ones. Lock the account's row before. */
export async function addToIncidents(
  trx: StoreTransaction,
  { accountId, falls, at }: { readonly accountId: string; readonly falls: readonly Fall[]; readonly at: number },
): Promise<void> {
  for (const [kind, fallen] of Map.groupBy(falls, (fall) => fall.kind)) {
    const ids = fallen.map(({ computer }) => computer);
    const open = (await openIncidentsOf(trx, accountId)).filter((incident) => incident.kind === kind);
    const known = await openIncidentsWith(trx, { accountId, kind, ids }, at - flapsWithin);
    const devices = await devicesCalled(trx, ids);
    const joined = new Map<IncidentsTable, Fall[]>();
    for (const fall of fallen.toSorted((one, other) => one.when - other.when)) {
      const { address = null } = devices.get(fall.computer) ?? {};
      const fits = (incident: IncidentsTable) => belongs(incident, { when: fall.when, address, at });
      let incident = open.find(({ id }) => id === known.get(fall.computer)) ?? open.find(fits);
      if (!incident) {
        const ended = { accountId, kind, ids: [fall.computer] };
        const isUnstable = !isMoment(kind) && (await endedSince(trx, ended, at - flapsWithin));
        const unstable = isUnstable ? 1 : 0;
        const opening = { account_id: accountId, kind, began_at: fall.when, opened_at: at, unstable } as const;
        incident = await openIncident(trx, { ...opening, due_at: at + (isUnstable ? 0 : gathersFor) });
        open.push(incident);
      }
      incident.latest_at = Math.max(incident.latest_at, fall.when);
      joined.set(incident, [...(joined.get(incident) ?? []), fall]);
    }
    for (const [incident, members] of joined) await join(trx, { incident, members, known, devices, at });
  }
}

interface Joining {
  readonly incident: IncidentsTable;
  /** In the order in which they fell. */
  readonly members: readonly Fall[];
  /** The computers that belong to an open incident already. */
  readonly known: ReadonlyMap<string, string>;
  readonly devices: Awaited<ReturnType<typeof devicesCalled>>;
  readonly at: number;
}

async function join(trx: StoreTransaction, { incident, members, known, devices, at }: Joining): Promise<void> {
  const { id, latest_at } = incident;
  const began_at = Math.min(incident.began_at, ...members.slice(0, 1).map(({ when }) => when));
  const isNews = members.some(({ computer }) => !known.has(computer));
  await changeIncident(trx, id, { began_at, latest_at, changed_at: at, ...(isNews && { seen_at: null }) });
  const nameless = { name: '', tags: '[]', address: null };
  await addMembers(
    trx,
    members.map(({ computer, rule, when }) => ({
      incident_id: id,
      computer_id: computer,
      rule,
      ...(devices.get(computer) ?? nameless),
      since: when,
      joined_at: at,
    })),
  );
  // What fell again goes on in its notification.
  await followMembers(trx, incident);
}

interface FallOf {
  readonly when: number;
  readonly address: string | null;
  readonly at: number;
}

/** Whether what happened now is part of an open incident. */
function belongs(incident: IncidentsTable, { when, address, at }: FallOf): boolean {
  if (incident.announced === 0) return true;
  if (incident.kind !== 'computer_silent') return at - incident.opened_at < togetherWithin;
  const isTogether = when >= incident.began_at - togetherWithin && when <= incident.latest_at + togetherWithin;
  const isNeighbor = address !== null && address === incident.address && at - incident.opened_at < togetherAt;
  return isTogether || isNeighbor;
}
