import * as z from 'zod/mini';
import { endpoint, named, ownId, type ResponseBody } from '../../../contract/endpoint.ts';
import { alarmChannels, alarmEvents, callAnswers } from '../../contract/alarm-channels.ts';
import { alarmKinds } from '../../contract/alarm-kinds.ts';
import { alarmRule } from '../../contract/alarm-rules.ts';

/** An incident has up to ten thousand devices; its page lists these. */
export const membersShown = 500;
export const incidentsShown = 100;
const longestNote = 2000;

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
