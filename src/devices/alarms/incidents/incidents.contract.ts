import * as z from 'zod/mini';
import { endpoint, named, ownId, type ResponseBody } from '../../../contract/endpoint.ts';
import { alarmChannels, alarmEvents, callAnswers, timedChannels } from '../../contract/alarm-channels.ts';
import { alarmKinds } from '../../contract/alarm-kinds.ts';
import { alarmRule } from '../../contract/alarm-rules.ts';

/** An incident has up to ten thousand devices; its page lists these. */
export const membersShown = 500;
export const incidentsShown = 100;
const longestNote = 2000;
/** Minutes without an acknowledgment. */
const longestWait = 24 * 60;

const time = z.string();
const timeOrNull = z.nullable(z.string());

const summary = {
  id: z.string(),
  kind: z.enum(alarmKinds),
  began_at: time,
  ended_at: timeOrNull,
  ends_at: timeOrNull,
  acknowledged_at: timeOrNull,
  acknowledged_until: timeOrNull,
  /** Null: nobody has looked at it. */
  seen_at: timeOrNull,
  unstable: z.boolean(),
  /** The first device, and how many there are, and how many of them have not come back. */
  first: z.string(),
  devices: z.number(),
  open: z.number(),
  tag: z.nullable(z.string()),
  address: z.nullable(z.string()),
};

const incident = named('Incident', z.object(summary));

const message = named(
  'AlarmMessage',
  z.object({
    at: time,
    channel: z.enum(alarmChannels),
    event: z.enum(alarmEvents),
    recipient: z.string(),
    state: z.enum(['waiting', 'sent', 'superseded', 'failed']),
    /** Null without a call, or before its provider has reported. */
    answer: z.nullable(z.enum(callAnswers)),
    error: z.nullable(z.string()),
  }),
);

const details = named(
  'IncidentDetails',
  z.object({
    ...summary,
    note: z.string(),
    rules: z.array(z.nullable(alarmRule)),
    members: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        /** From the account. */
        removed: z.boolean(),
        since: time,
        back_at: timeOrNull,
        end_value: z.nullable(z.number()),
      }),
    ),
    messages: z.array(message),
  }),
);

export const listIncidents = endpoint({
  route: 'GET /account/incidents',
  summary: 'List the newest hundred incidents of the last 90 days',
  auth: 'bearer',
  status: 200,
  response: z.object({ incidents: z.array(incident), unseen: z.number() }),
});

export type Incident = ResponseBody<typeof listIncidents>['incidents'][number];

export const readIncident = endpoint({
  route: 'GET /account/incidents/:id',
  summary: 'Read an incident with its devices and messages',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 200,
  response: details,
  failures: ['not_found'],
});

export type IncidentDetails = ResponseBody<typeof readIncident>;

const note = z.string({ error: 'not_understood' }).check(
  z.overwrite((text) => text.replaceAll('\0', '')),
  z.refine((text) => text.length <= longestNote, { error: 'note_too_long', params: { max: longestNote } }),
);
export const noteForm = z.object({ note });

export const changeIncident = endpoint({
  route: 'PATCH /account/incidents/:id',
  summary: 'Acknowledge an incident for a day or take that back, mark it as seen, or write a note',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  /** An absent field stays unchanged. */
  body: z.object({
    acknowledged: z.optional(z.boolean({ error: 'not_understood' })),
    seen: z.optional(z.literal(true, { error: 'not_understood' })),
    note: z.optional(note),
  }),
  status: 200,
  response: details,
  failures: ['not_found', 'too_many_requests'],
});

const channel = named(
  'AlarmChannel',
  z.object({
    channel: z.enum(alarmChannels),
    /** Null: not used. */
    after_minutes: z.nullable(z.number()),
    recipient: z.nullable(z.string()),
    broken: z.nullable(z.string()),
    broken_since: timeOrNull,
  }),
);

export const listAlarmChannels = endpoint({
  route: 'GET /account/alarms/channels',
  summary: 'List the channels of alarms',
  auth: 'bearer',
  status: 200,
  response: z.object({ channels: z.array(channel) }),
});

export type AlarmChannels = ResponseBody<typeof listAlarmChannels>['channels'];

export const changeAlarmChannel = endpoint({
  route: 'PUT /account/alarms/channels',
  summary: 'Use a channel of alarms after some minutes without an acknowledgment, or no longer',
  auth: 'bearer',
  body: z.object({
    channel: z.enum(timedChannels, { error: 'not_understood' }),
    after_minutes: z.nullable(
      z.number({ error: 'not_understood' }).check(
        z.refine((count) => Number.isInteger(count) && count >= 0 && count <= longestWait, {
          error: 'not_understood',
        }),
      ),
    ),
  }),
  status: 200,
  response: z.object({ channels: z.array(channel) }),
  /** `not_found`: it has not been set up. */
  failures: ['not_found', 'too_many_requests'],
});

const longestUrl = 1000;
const webhookUrl = z.string({ error: 'required' }).check(
  z.minLength(1, { error: 'required' }),
  z.refine((text) => text.length <= longestUrl && URL.canParse(text), { error: 'url_invalid' }),
);
export const webhookForm = z.object({ url: webhookUrl });

export const setWebhook = endpoint({
  route: 'PUT /account/alarms/channels/webhook',
  summary: 'Send alarms to a URL, signed with a new secret',
  auth: 'bearer',
  body: webhookForm,
  status: 200,
  response: z.object({ secret: z.string() }),
  failures: ['too_many_requests'],
  fieldCodes: ['url_invalid'],
});

export const linkTelegram = endpoint({
  route: 'POST /account/alarms/channels/telegram',
  summary: 'Make a link that connects a chat in Telegram with alarms, once and within ten minutes',
  auth: 'bearer',
  status: 201,
  response: z.object({ link: z.string(), expires_at: time }),
  /** `not_found`: the operator has no bot. `try_again_later`: Telegram does not respond. */
  failures: ['not_found', 'too_many_requests', 'try_again_later'],
});

/** The page's form. */
export const channelForm = z.object({ channel_after: z.string() });

export const testAlarmChannel = endpoint({
  route: 'POST /account/alarms/channels/test',
  summary: 'Send a test alarm by one channel, and learn what its receiver or provider said',
  auth: 'bearer',
  body: z.object({ channel: z.enum(alarmChannels, { error: 'not_understood' }) }),
  status: 200,
  response: z.object({ state: z.enum(['sent', 'failed']), said: z.string() }),
  /** `not_found`: the channel cannot reach the owner. */
  failures: ['not_found', 'too_many_requests'],
});
