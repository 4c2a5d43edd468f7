import { days, hours, minutes, seconds } from '../../../contract/units.ts';
import { type AccountsTable, lockAndFindAccount } from '../../../store/accounts/accounts.ts';
import { eachApart, type Store, type StoreTransaction } from '../../../store/database.ts';
import { isRecent } from '../../../store/wrong-clock.ts';
import type { AlarmMessageEvent } from '../../contract/alarm-channels.ts';
import { isMoment } from '../../contract/alarm-kinds.ts';
import {
  type AlarmMessagesTable,
  addMessages,
  channelsOf,
  messagesOf,
  noteUndelivered,
  supersede,
  superseded,
} from '../../store/alarm-messages.ts';
import { type AlarmPlan, alarmPlanOf } from '../../store/alarm-plans.ts';
import {
  countMembers,
  type MemberCounts,
  noteReturns,
  openMembers,
  rulesOfMembers,
  sharedBy,
} from '../../store/incident-members.ts';
import { changeIncident, dueIncidents, type IncidentsTable, openIncidentsOf } from '../../store/incidents.ts';
import { followMembers } from '../../store/notifications.ts';
import { afterQuietHours, pausesAt } from '../../store/pauses.ts';
import type { AlarmChannel } from '../channels/channel.ts';
import { channels } from '../channels/channels.ts';
import { gathersFor } from './gather-incidents.ts';

// The one place that decides about messages. Everything happens under the lock of the account, in one transaction with
// what is decided, so any number of nodes may do it, and a node that dies has decided nothing.

/** An incident ends when all have been back for so long, so that none ends twice. */
export const endsAfter = ({ unstable }: Pick<IncidentsTable, 'unstable'>): number => (unstable ? calmFor : steadyFor);
const steadyFor = minutes(1);
/** The same for an unstable one. */
const calmFor = minutes(30);
export const acknowledgedFor = days(1);
const growth = 10;
/** After the first call, while nobody acknowledges. */
const repeats = [0, minutes(2), minutes(5)];

/** Incidents in one query. */
const batchSize = 500;

/** Judges the incidents that are due: who is back, and which messages leave. */
export async function decideIncidents({ store, now }: { readonly store: Store; now(): number }): Promise<void> {
  const due = await dueIncidents(store, { now: now(), max: batchSize });
  await eachApart(
    Map.groupBy(due, ({ account_id }) => account_id),
    async ([accountId, own]) =>
      store.transaction().execute(async (trx) => {
        const account = await lockAndFindAccount(trx, accountId);
        if (!account) return;
        const at = now();
        const plan = await alarmPlanOf(trx, accountId);
        const all = await usableChannels(trx, account);
        const open = await openIncidentsOf(trx, accountId);
        for (const incident of open.filter(({ id }) => own.some((one) => one.id === id))) {
          const wish = await wishFor(trx, incident, plan);
          const chosen = all.filter(({ channel }) => wish.by(channel.name));
          await judge(trx, { account, incident, plan, wish, chosen, at });
        }
      }),
  );
}

interface ChosenChannel {
  readonly channel: AlarmChannel;
  /** Milliseconds without an acknowledgment. */
  readonly after: number;
  readonly recipient: string;
}

/** The channels that can reach the owner, in their order. Emails need no choice, only a confirmed address. */
async function usableChannels(store: Store, account: AccountsTable): Promise<ChosenChannel[]> {
  const rows = await channelsOf(store, account.id);
  return [{ channel: 'email' as const, after_minutes: 0, target: '', broken: null }, ...rows]
    .flatMap(({ channel: name, after_minutes: after, target, broken }) => {
      const channel = channels[name];
      const recipient = channel?.recipient({ account, target });
      return recipient === undefined || broken !== null ? [] : [{ channel, after: minutes(after), recipient }];
    })
    .sort((one, other) => one.after - other.after);
}

/** How the owner wants to hear of an incident: what the rules of its members say, together. */
interface Wish {
  by(channel: AlarmChannel['name']): boolean;
  readonly atEnd: boolean;
  /** Milliseconds between reminders; infinite for none. */
  readonly remindEvery: number;
}

async function wishFor(store: Store, { id, kind }: IncidentsTable, { rules }: AlarmPlan): Promise<Wish> {
  const ids = await rulesOfMembers(store, id);
  const own = rules.filter((rule) => ids.includes(rule.id));
  const isUsual = ids.includes('');
  return {
    by: (channel) => isUsual || own.some((rule) => rule.by === 'all' || rule.channels.includes(channel)),
    atEnd: !isMoment(kind) && (isUsual || own.some((rule) => rule.at_end)),
    remindEvery: Math.min(
      ...own.map((rule) => (rule.remind_hours === null ? Number.POSITIVE_INFINITY : hours(rule.remind_hours))),
    ),
  };
}

interface Judging {
  readonly account: AccountsTable;
  readonly incident: IncidentsTable;
  readonly plan: AlarmPlan;
  readonly wish: Wish;
  readonly chosen: readonly ChosenChannel[];
  readonly at: number;
}

async function judge(trx: StoreTransaction, judging: Judging): Promise<void> {
  const { account, incident: known, at } = judging;
  const { id } = known;
  const isChanged = (await noteReturns(trx, { ...known, now: at })) > 0;
  if (isChanged) await followMembers(trx, known);
  const times = { ...timesUntil(at, known), ...(isChanged && { changed_at: at }) };
  const incident = { ...known, ...times };
  const counts = await countMembers(trx, id);
  await noteUndelivered(trx, id);
  const messages = await messagesOf(trx, id);
  const state = { ...judging, incident, times, counts, messages };
  if (counts.open > 0) return goOn(trx, state);
  const isSteady = at - (counts.back_at ?? at) >= endsAfter(incident);
  if (isSteady && account.delete_at === null) return end(trx, state);
  await changeIncident(trx, id, { ...times, due_at: at + seconds(30) });
}

/** The times of an incident, of which a clock that was ahead may have left some in the future: they are now. */
const timesUntil = (at: number, { opened_at, changed_at, announced_at, acknowledged_at }: IncidentsTable) => ({
  opened_at: Math.min(opened_at, at),
  changed_at: Math.min(changed_at, at),
  announced_at: announced_at && Math.min(announced_at, at),
  acknowledged_at: acknowledged_at && Math.min(acknowledged_at, at),
});

interface Judged extends Judging {
  /** Those of the incident, to be stored. */
  readonly times: ReturnType<typeof timesUntil>;
  readonly counts: MemberCounts;
  readonly messages: readonly AlarmMessagesTable[];
}

/** Ends an incident for good: if its computers fall again, that is another one. */
async function end(trx: StoreTransaction, state: Judged): Promise<void> {
  const { incident, counts, at } = state;
  await changeIncident(trx, incident.id, {
    ...(await sharedBy(trx, incident.id)),
    ...state.times,
    ended_at: counts.back_at ?? at,
    first_size: incident.first_size || counts.total,
    due_at: null,
  });
  await supersede(trx, { accountId: incident.account_id, incidentId: incident.id, at });
  // Devices that were removed are not back. An email tells the whole story; elsewhere, an end needs its beginning.
  const to = informed(state).filter(({ channel }) => channel.name === 'email' || hasTold(state, channel));
  if (state.wish.atEnd && counts.kept > 0) await write(trx, state, { event: 'ended', to });
}

async function goOn(trx: StoreTransaction, state: Judged): Promise<void> {
  const { account, incident, times, messages, counts, chosen, at } = state;
  const isMuted = await areAllMuted(trx, state);
  const news = account.delete_at === null && !isMuted ? newsOf(state) : undefined;
  const restarts = news !== undefined && (restarting.includes(news) || incident.acknowledged_at !== null);
  const isNewShape = news !== undefined && news !== 'reminder';
  const next: Partial<IncidentsTable> = {
    ...times,
    due_at: at + (at - incident.opened_at < hours(1) ? seconds(30) : minutes(2)),
    ...(isNewShape && { announced: counts.total, ...(await sharedBy(trx, incident.id)) }),
    ...(isNewShape && incident.first_size === 0 && { first_size: counts.total }),
    ...(news === 'settled' && { unstable: 0 as const }),
    ...(restarts && { announced_at: at, acknowledged_at: null }),
  };
  await changeIncident(trx, incident.id, next);
  const immediate = chosen.filter(({ after }) => after === 0);
  if (news) await write(trx, state, { event: news, to: restarts ? immediate : informed(state) });
  const { announced_at: since, acknowledged_at: acknowledged } = { ...incident, ...next };
  if (since === null || acknowledged !== null || isMuted) return;
  const isCurrent = ({ created_at, last_error }: AlarmMessagesTable) =>
    created_at >= since && last_error !== superseded;
  const written = restarts ? [] : messages.filter(isCurrent);
  const to = escalation(chosen, { written, since, at, isAnnounced: restarts });
  await write(trx, state, { event: 'escalated', to });
  const told = news || to.length > 0 ? undefined : undeliveredTo(chosen, written);
  if (told) await write(trx, state, { event: 'undelivered', to: [told] });
}

/** Whether the owner has muted every device that is not back, or plans maintenance of it. */
async function areAllMuted(trx: StoreTransaction, { incident, plan: { pauses }, at }: Judged): Promise<boolean> {
  const limit = pauses.length === 0 ? 1 : undefined;
  const members = await openMembers(trx, { incidentId: incident.id, unmutedAt: at, limit });
  const pausedAt = pausesAt(pauses, at);
  return members.every(({ id, tags }) => pausedAt({ id, tags: JSON.parse(tags) }).maintenanceUntil !== undefined);
}

/** With these, messages escalate again from the first channel. */
const restarting: readonly AlarmMessageEvent[] = ['began', 'unstable', 'reminder'];

/** The channels that know about the incident, or would, except those that only ring. */
const informed = (state: Judged) =>
  state.chosen.filter(({ channel, after }) => !channel.rings && (after === 0 || hasTold(state, channel)));

const hasTold = ({ messages }: Judged, { name }: AlarmChannel) =>
  messages.some(({ channel, attempts, gave_up_at }) => channel === name && attempts > 0 && gave_up_at === null);

interface Writing {
  readonly event: AlarmMessageEvent;
  readonly to: readonly (ChosenChannel & { readonly turn?: number })[];
}

async function write(trx: StoreTransaction, { account, incident, plan, at }: Judged, { event, to }: Writing) {
  const about = { accountId: account.id, incidentId: incident.id, channels: to.map(({ channel }) => channel.name) };
  // What waits for the end of quiet hours would say the same.
  if (to.length > 0) await supersede(trx, { ...about, at });
  await addMessages(
    trx,
    to.map(({ channel, recipient, turn = 1 }) => ({
      account_id: account.id,
      incident_id: incident.id,
      channel: channel.name,
      event,
      turn,
      recipient,
      created_at: at,
      due_at: channel.heedsQuietHours ? afterQuietHours(at, plan.quiet, account.time_zone) : at,
    })),
  );
}

/** What there is to say about an incident that goes on. */
function newsOf({ incident, counts, wish, at }: Judged): AlarmMessageEvent | undefined {
  const { announced, announced_at: since, acknowledged_at: acknowledged } = incident;
  if (announced === 0) {
    if (incident.unstable) return 'unstable';
    return at >= incident.opened_at + gathersFor ? 'began' : undefined;
  }
  if (incident.unstable && at - incident.changed_at >= calmFor) return 'settled';
  if (counts.total >= announced * growth) return 'grew';
  if (acknowledged === null) return since !== null && at - since >= wish.remindEvery ? 'reminder' : undefined;
  if (counts.joined_at > acknowledged) return 'grew';
  return at - acknowledged >= acknowledgedFor ? 'reminder' : undefined;
}

const hasFailed = ({ gave_up_at, last_error }: AlarmMessagesTable) => gave_up_at !== null && last_error !== superseded;

interface Escalating {
  /** Messages since the incident was announced. */
  readonly written: readonly AlarmMessagesTable[];
  readonly since: number;
  readonly at: number;
  /** The channels that are used at once got their message just now. */
  readonly isAnnounced: boolean;
}

/** The channels whose turn it is: their time has come, one before them failed, or a call is repeated. */
function escalation(chosen: readonly ChosenChannel[], { written, since, at, isAnnounced }: Escalating) {
  const of = ({ channel }: ChosenChannel) => written.filter((message) => message.channel === channel.name);
  const isUsed = (one: ChosenChannel) => of(one).length > 0 || (isAnnounced && one.after === 0);
  const unused = chosen.filter((one) => !isUsed(one));
  const expected = chosen.filter(({ after }) => at - since >= after).length;
  const working = chosen.filter(
    (one) => isUsed(one) && (isAnnounced || of(one).some((message) => !hasFailed(message))),
  );
  const repeated = chosen.flatMap((one) => {
    const own = of(one);
    const [first] = own;
    const isOver = own.every(({ sent_at, gave_up_at }) => sent_at !== null || gave_up_at !== null);
    const pause = repeats[own.length];
    if (!one.channel.rings || !first || !isOver || pause === undefined) return [];
    return !isRecent(first.created_at, { now: at, within: pause }) ? [{ ...one, turn: own.length + 1 }] : [];
  });
  return [...unused.slice(0, Math.max(0, expected - working.length)), ...repeated];
}

/** A channel that tells the owner of one that failed, unless a later message already does. */
function undeliveredTo(
  chosen: readonly ChosenChannel[],
  written: readonly AlarmMessagesTable[],
): ChosenChannel | undefined {
  const failed = written.findLast(hasFailed);
  if (!failed) return undefined;
  const isTold = written.some(
    ({ channel, created_at }) => channel !== failed.channel && created_at >= (failed.gave_up_at ?? 0),
  );
  if (isTold) return undefined;
  return chosen.find(
    ({ channel }) =>
      channel.name !== failed.channel &&
      !channel.rings &&
      written.some((message) => message.channel === channel.name && message.sent_at !== null),
  );
}
