import { refuse, tooMuch } from '../../../contract/failures.ts';
import { days, hours, minutes, seconds } from '../../../contract/units.ts';
import { type DeliveryLog, type Outcome, startWorker, type Worker } from '../../../delivery/worker.ts';
import { type AccountsTable, findAccount } from '../../../store/accounts/accounts.ts';
import type { Store } from '../../../store/database.ts';
import { countRequest, limitKey } from '../../../store/rate-limits.ts';
import { type AlarmChannelName, alarmChannels } from '../../contract/alarm-channels.ts';
import {
  type AlarmMessagesTable,
  addTest,
  alarmQueue,
  beginPlacing,
  channelsOf,
  messagesOf,
  noteChannel,
  superseded,
} from '../../store/alarm-messages.ts';
import { alarmPlanOf } from '../../store/alarm-plans.ts';
import { countMembers, membersOf } from '../../store/incident-members.ts';
import { incidentOf, judgeSoon } from '../../store/incidents.ts';
import { afterQuietHours } from '../../store/pauses.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, IncidentReport, Sending } from '../channels/channel.ts';
import { testAlarmChannel } from '../channels/channels.contract.ts';
import { channels } from '../channels/channels.ts';

/** Longer than any attempt. */
const leaseFor = minutes(1);
const longestAttempt = seconds(30);
/** What is older is news no more, and its turn has passed to the next channel. */
const tooLate = minutes(30);
/** Computers that a message names. */
const named = 10;

type AlarmOutcome = 'sent' | 'postponed' | 'failed' | 'released';

interface Delivering {
  readonly service: ChannelService;
  readonly log: DeliveryLog;
  readonly stopping: AbortSignal;
}

/** Delivers what `decide-incidents.ts` has written; any number of nodes may run it. */
export function startAlarmMessages(service: ChannelService, log: DeliveryLog): Worker<AlarmOutcome> {
  const { store, now } = service;
  const stopping = new AbortController();
  return startWorker<AlarmMessagesTable, AlarmChannelName, AlarmOutcome>({
    what: 'alarm message',
    queue: alarmQueue,
    ...{ store, now, log, leaseFor },
    lanes: () => alarmChannels.map((name) => ({ name })),
    room: ({ lane, sending }) => channels[lane].room - sending,
    onStart: (at) => alarmQueue.endOutdatedPauses(store, { now: at, longestPause: days(1) }),
    send: (row) => deliver({ service, log, stopping: stopping.signal }, row),
    abandon: () => stopping.abort(),
  });
}

async function deliver(
  { service, log, stopping }: Delivering,
  row: AlarmMessagesTable,
): Promise<Outcome<AlarmOutcome>> {
  const { id, channel: name, event, incident_id: incident } = row;
  const { now, store } = service;
  const sending = await attempt(service, row, stopping);
  const about = { alarm: id, channel: name, event, incident };
  if (stopping.aborted && sending.state === 'later') return { name: 'released', end: 'release', error: sending.error };
  if (sending.state === 'sent') {
    log.info(about, 'alarm sent');
    return { name: 'sent', end: 'done' };
  }
  const { error } = sending;
  const dueAt = now() + (sending.state === 'later' ? sending.after : 0);
  if (sending.state === 'later' && dueAt < (await firstDueOf(store, row)) + tooLate) {
    log.warn({ ...about, error }, 'alarm not sent, will be retried');
    return { name: 'postponed', end: 'postpone', dueAt, error };
  }
  log.error({ ...about, error }, 'alarm given up: the next channel takes over');
  if (incident !== null) await judgeSoon(store, { id: incident, now: now() });
  return { name: 'failed', end: 'giveUp', error };
}

/** When a message was due first: each attempt that is postponed changes `due_at`. */
async function firstDueOf(store: Store, { account_id, channel, created_at }: AlarmMessagesTable): Promise<number> {
  if (!channels[channel].heedsQuietHours) return created_at;
  const { quiet } = await alarmPlanOf(store, account_id);
  const account = await findAccount(store, account_id);
  return afterQuietHours(created_at, quiet, account?.time_zone ?? null);
}

const testsAnHour = 10;

interface ChannelTest {
  readonly account: AccountsTable;
  readonly channel: AlarmChannelName;
}

/** Sends a test by one channel, once, and returns what its receiver or provider said. */
export async function testChannel(service: ChannelService, { account, channel }: ChannelTest) {
  const { store, now } = service;
  const at = now();
  const chosen = (await channelsOf(store, account.id)).find((one) => one.channel === channel);
  const recipient = channels[channel].recipient({ account, target: chosen?.target ?? '' });
  if (recipient === undefined) throw refuse(testAlarmChannel, 'not_found');
  const limit = { key: limitKey('alarm-test', account.id), limit: testsAnHour, within: hours(1) };
  const counted = await countRequest(store, [limit], at);
  if (counted.state === 'refused') throw tooMuch(testAlarmChannel, 'too_many_requests', counted.freeAt - at);
  const row = await addTest(store, { account_id: account.id, channel, recipient, at, leaseFor });
  const sending = await attempt(service, row);
  if (sending.state === 'sent') {
    await alarmQueue.done(store, row, now());
    return { state: 'sent' as const, said: sending.said ?? '' };
  }
  await alarmQueue.giveUp(store, row, { at: now(), error: sending.error });
  return { state: 'failed' as const, said: sending.error };
}

async function attempt(service: ChannelService, row: AlarmMessagesTable, stopping?: AbortSignal): Promise<Sending> {
  const { store, now } = service;
  const channel: AlarmChannel = channels[row.channel];
  const message = await readMessage(service, row);
  if (!message) return { state: 'failed', error: 'the account, its incident or the channel is gone' };
  if (channel.once && !(await beginPlacing(store, { id: row.id, at: now() })))
    return { state: 'failed', error: 'the service stopped during the attempt; it may have arrived' };
  const stop = AbortSignal.timeout(longestAttempt);
  const sending = await channel.send(service, message, stopping ? AbortSignal.any([stop, stopping]) : stop);
  const ended = { account_id: row.account_id, channel: row.channel };
  if (sending.state === 'sent') await noteChannel(store, { ...ended, broken: null, broken_at: null });
  if (sending.state === 'failed' && sending.gone)
    await noteChannel(store, { ...ended, broken: sending.error, broken_at: now() });
  return sending;
}

async function readMessage({ store }: ChannelService, row: AlarmMessagesTable): Promise<AlarmMessage | undefined> {
  const { id, account_id: accountId, incident_id: incidentId, channel: name, event, turn, created_at: at } = row;
  const account = await findAccount(store, accountId);
  if (!account) return undefined;
  const chosen = (await channelsOf(store, accountId)).find(({ channel }) => channel === name);
  const target = chosen?.target ?? '';
  if (channels[name].recipient({ account, target }) === undefined) return undefined;
  const message = { id, event, turn, account, target, at };
  if (incidentId === null) return { ...message, report: undefined };
  const report = await readReport({ store }, { accountId, incidentId, row });
  return report && { ...message, report };
}

interface Reported {
  readonly accountId: string;
  readonly incidentId: string;
  readonly row: AlarmMessagesTable;
}

async function readReport(
  { store }: Pick<ChannelService, 'store'>,
  { accountId, incidentId, row }: Reported,
): Promise<IncidentReport | undefined> {
  const incident = await incidentOf(store, { id: incidentId, accountId });
  if (!incident) return undefined;
  const lost = (await messagesOf(store, incidentId)).findLast(
    ({ channel, gave_up_at, last_error }) =>
      channel !== row.channel && gave_up_at !== null && last_error !== superseded,
  );
  return {
    incident,
    counts: await countMembers(store, incidentId),
    members: await membersOf(store, { incidentId, limit: named }),
    undelivered: lost && { recipient: lost.recipient, why: lost.last_error ?? '' },
  };
}
