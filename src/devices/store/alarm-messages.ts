import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { orderedId } from '../../store/database.ts';
import { type QueueColumns, queueOf } from '../../store/queue.ts';
import {
  type AlarmChannelName,
  type AlarmMessageEvent,
  alarmChannels,
  type CallAnswer,
  channelFacts,
} from '../contract/alarm-channels.ts';

/** A message to the owner of an account, written in the transaction that decided on it. It stays for the timeline. */
export interface AlarmMessagesTable extends QueueColumns {
  account_id: string;
  /** Null for a test. */
  incident_id: string | null;
  channel: AlarmChannelName;
  event: AlarmMessageEvent;
  /** A call that nobody acknowledged is repeated: 1, 2, 3. */
  turn: number;
  /** To whom, as the timeline shows it. */
  recipient: string;
  /** When an attempt began that must not be made twice, such as a call. */
  placing_at: number | null;
  answer: CallAnswer | null;
}

/** A channel that the owner chose, in the order of `after_minutes`. */
export interface AlarmChannelsTable {
  account_id: string;
  channel: AlarmChannelName;
  /** Minutes without an acknowledgment; 0: at once. */
  after_minutes: number;
  /** Where it leads, as its channel stores it; empty if the account says so. */
  target: string;
  /** When its owner last set it up. */
  set_at: number;
  /** Why its receiver wants no more messages, and since when; null: it is used. */
  broken: string | null;
  broken_at: number | null;
}

declare module '../../store/database.ts' {
  interface Database {
    alarm_messages: AlarmMessagesTable;
    alarm_channels: AlarmChannelsTable;
  }
}

/** A channel is a lane, and gets the messages of an incident in their order. */
export const alarmQueue = queueOf<'alarm_messages', AlarmChannelName>('alarm_messages', {
  lane: 'channel',
  order: 'due_at',
  rank: sql`case event when 'ended' then 1 when 'reminder' then 2 else 0 end`,
  inOrder: { of: 'incident_id', by: 'id', openBatches: false },
  erased: {},
});

type NewMessage = Pick<
  AlarmMessagesTable,
  'account_id' | 'incident_id' | 'channel' | 'event' | 'turn' | 'recipient' | 'created_at' | 'due_at'
>;

const unsent = {
  ...{ placing_at: null, answer: null, attempts: 0, leased_until: 0 },
  ...{ sent_at: null, gave_up_at: null, last_error: null },
};

export async function addMessages(trx: StoreTransaction, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await trx
    .insertInto('alarm_messages')
    .values(messages.map((message) => ({ ...message, ...unsent, id: orderedId() })))
    .execute();
}

/** Adds a test, which its caller sends; the worker does if the caller dies. */
export function addTest(
  store: Store,
  test: Pick<NewMessage, 'account_id' | 'channel' | 'recipient'> & { readonly at: number; readonly leaseFor: number },
): Promise<AlarmMessagesTable> {
  const { at, leaseFor, ...message } = test;
  const claimed = { ...unsent, attempts: 1, leased_until: at + leaseFor };
  return store
    .insertInto('alarm_messages')
    .values({
      ...{ ...message, ...claimed, id: orderedId(), incident_id: null },
      ...{ event: 'test', turn: 1, created_at: at, due_at: at },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The messages about an incident, in their order. */
export const messagesOf = (store: Store, incidentId: string): Promise<AlarmMessagesTable[]> =>
  store.selectFrom('alarm_messages').selectAll().where('incident_id', '=', incidentId).orderBy('id').execute();

export const messageCalled = (store: Store, id: string): Promise<AlarmMessagesTable | undefined> =>
  store.selectFrom('alarm_messages').selectAll().where('id', '=', id).executeTakeFirst();

/** Records what became of a call; a key that was pressed counts more than its end. */
export const noteAnswer = (trx: StoreTransaction, { id, answer }: { id: string; answer: CallAnswer }) =>
  trx
    .updateTable('alarm_messages')
    .set({ answer })
    .where('id', '=', id)
    .$if(answer !== 'acknowledged', (rows) => rows.where('answer', 'is', null))
    .execute();

interface Superseded {
  readonly accountId: string;
  /** Unless given: all of the account. */
  readonly incidentId?: string;
  /** Unless given: all. */
  readonly channels?: readonly AlarmChannelName[];
  readonly at: number;
}

/** Gives up what has not left yet, since a later message says it all, or its owner knows or wants none. */
export const supersede = (trx: StoreTransaction, { accountId, incidentId, channels, at }: Superseded) =>
  trx
    .updateTable('alarm_messages')
    .set({ gave_up_at: at, last_error: superseded })
    .where('account_id', '=', accountId)
    .where('attempts', '=', 0)
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .$if(incidentId !== undefined, (rows) => rows.where('incident_id', '=', incidentId ?? ''))
    .$if(channels !== undefined, (rows) => rows.where('channel', 'in', channels ?? []))
    .execute();

/** Gives up the messages whose emails were given up: their ids are equal. */
export const noteUndelivered = (trx: StoreTransaction, incidentId: string) =>
  trx
    .updateTable('alarm_messages')
    .from('outbox')
    .set((row) => ({
      sent_at: null,
      gave_up_at: row.ref('outbox.gave_up_at'),
      last_error: row.ref('outbox.last_error'),
    }))
    .whereRef('outbox.id', '=', 'alarm_messages.id')
    .where('alarm_messages.incident_id', '=', incidentId)
    .where('alarm_messages.sent_at', 'is not', null)
    .where('outbox.gave_up_at', 'is not', null)
    .execute();

/** The error of a message that had not left when it became needless. */
export const superseded = 'superseded';

/** Records that an attempt begins that must not be made twice; false if one began before and its end is unknown. */
export async function beginPlacing(store: Store, { id, at }: { id: string; at: number }): Promise<boolean> {
  const begun = await store
    .updateTable('alarm_messages')
    .set({ placing_at: at })
    .where('id', '=', id)
    .where('placing_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return begun !== undefined;
}

/** The channels that an account chose, the first to use first. */
export const channelsOf = (store: Store, accountId: string): Promise<AlarmChannelsTable[]> =>
  store
    .selectFrom('alarm_channels')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('after_minutes')
    .orderBy('channel')
    .execute();

export const setChannel = (trx: StoreTransaction, { account_id, channel, ...chosen }: AlarmChannelsTable) =>
  trx
    .insertInto('alarm_channels')
    .values({ account_id, channel, ...chosen })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel']).doUpdateSet(chosen))
    .execute();

type ChannelKey = Pick<AlarmChannelsTable, 'account_id' | 'channel'>;

/** Ends the use of a channel, also for messages that wait. */
export async function forgetChannel(
  trx: StoreTransaction,
  { account_id, channel, at }: ChannelKey & { readonly at: number },
): Promise<void> {
  await trx.deleteFrom('alarm_channels').where('account_id', '=', account_id).where('channel', '=', channel).execute();
  await supersede(trx, { accountId: account_id, channels: [channel], at });
}

/** Changes where a channel leads, unless its owner changed it meanwhile. */
export const retarget = (store: Store, { accountId, from, to }: { accountId: string; from: string; to: string }) =>
  store
    .updateTable('alarm_channels')
    .set({ target: to })
    .where('account_id', '=', accountId)
    .where('target', '=', from)
    .execute();

/** Ends the channels that lead to places an account does not prove, as far as they were set up since then. */
export const endChannelsSince = (trx: StoreTransaction, { accountId, since }: { accountId: string; since: number }) =>
  trx
    .deleteFrom('alarm_channels')
    .where('account_id', '=', accountId)
    .where('channel', 'in', elsewhere)
    .where('set_at', '>=', since)
    .execute();

const elsewhere = alarmChannels.filter((name) => channelFacts[name].place === 'elsewhere');

/** Records that the receiver of a channel wants no more messages, or wants them again. */
export const noteChannel = (
  store: Store,
  { account_id, channel, ...state }: ChannelKey & Pick<AlarmChannelsTable, 'broken' | 'broken_at'>,
) =>
  store
    .updateTable('alarm_channels')
    .set(state)
    .where('account_id', '=', account_id)
    .where('channel', '=', channel)
    .execute();

/** Ended messages from which we tell whether a channel works. */
const messagesJudged = 200;

interface Trouble extends Pick<AlarmMessagesTable, 'channel' | 'recipient'> {
  /** When the first message failed after the last that arrived. */
  readonly since: number;
  /** Why the last one failed. */
  readonly why: string;
}

/** The channels of an account by which the latest message did not arrive; an email may come back later. */
export async function troublesOf(store: Store, accountId: string): Promise<Trouble[]> {
  const ended = await store
    .selectFrom('alarm_messages as message')
    .leftJoin('outbox', (join) => join.onRef('outbox.id', '=', 'message.id').on('outbox.gave_up_at', 'is not', null))
    .select(['message.channel', 'message.recipient'])
    .select(({ fn }) => [
      fn.coalesce('outbox.gave_up_at', 'message.gave_up_at').as('since'),
      fn.coalesce('outbox.last_error', 'message.last_error').as('why'),
    ])
    .where('message.account_id', '=', accountId)
    .where((row) => row.or([row('message.sent_at', 'is not', null), row('message.gave_up_at', 'is not', null)]))
    .where((row) => row.or([row('message.last_error', 'is', null), row('message.last_error', '!=', superseded)]))
    .orderBy('message.id', 'desc')
    .limit(messagesJudged)
    .execute();
  const byRecipient = Map.groupBy(ended, ({ channel, recipient }) => `${channel} ${recipient}`);
  return [...byRecipient.values()].flatMap((all) => {
    const arrived = all.findIndex(({ since }) => since === null);
    const lost = arrived === -1 ? all : all.slice(0, arrived);
    const [latest, first] = [lost[0], lost.at(-1)];
    if (!latest || !first) return [];
    return [{ ...latest, since: first.since ?? 0, why: latest.why ?? '' }];
  });
}
