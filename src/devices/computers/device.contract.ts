import * as z from 'zod/mini';
import { endpoint, idempotencyKey, named } from '../../contract/endpoint.ts';
import { textLimit } from '../../contract/fields/field-sizes.ts';
import { missing, reported } from '../../contract/fields/fields.ts';
import { readTime } from '../../contract/fields/time.ts';
import { reportedReadings, unreported } from '../contract/readings.ts';
import { deviceKinds, goodbyeReasons } from '../contract/record-kinds.ts';

/** Agents split larger batches into several requests. */
const maxRecords = 100;

const platform = reported(60);

/** In seconds: a week. */
const longestAbsence = 7 * 24 * 60 * 60;

/** An agent exchanges a code, or a key that several computers share, for its own device token. */
export const enrol = endpoint({
  route: 'POST /computers/enrol',
  summary: 'Add the computer that sends the request',
  from: 'computer',
  body: z.object({
    code: reported(100),
    name: reported(textLimit),
    platform,
    /** `smartphone`: its silence is no alarm, unless its owner has a rule for it. */
    kind: z.optional(z.enum(deviceKinds, { error: 'not_understood' })),
    attempt: idempotencyKey,
  }),
  status: 201,
  response: z.object({ computer: z.string(), device_token: z.string() }),
  failures: [
    'enrolment_invalid',
    'enrolment_key_revoked',
    'enrolment_key_expired',
    'enrolment_key_used_up',
    'network_not_allowed',
    'computer_limit_reached',
    'too_many_requests',
  ],
});

export const heartbeat = endpoint({
  route: 'POST /computers/heartbeat',
  summary: 'Send a heartbeat',
  auth: 'device',
  from: 'computer',
  body: z.object({
    platform: unreported(platform),
    version: unreported(reported(60)),
    /** Chosen anew at each start of the agent: it reveals copies of a computer. */
    instance: unreported(reported(60)),
    readings: unreported(reportedReadings),
    /** The computer stops reporting for this reason; the next request ends it. */
    goodbye: unreported(
      z.object(
        {
          reason: z.enum(goodbyeReasons, { error: missing }),
          /** Seconds until it is back, if it knows; up to a week. */
          returns_in: unreported(
            z
              .number({ error: 'not_understood' })
              .check(z.refine((count) => count > 0 && count <= longestAbsence, { error: 'not_understood' })),
          ),
        },
        { error: 'not_understood' },
      ),
    ),
  }),
  failures: ['too_many_requests'],
});

/** Below it, a number counts seconds: as milliseconds it would be before March 1973. */
const firstMilliseconds = 1e11;

const timeOf = (value: string | number): number | undefined => {
  if (typeof value === 'string') return readTime(value);
  return Math.round(value < firstMilliseconds ? value * 1000 : value);
};

/** A repaired id could be that of another record. */
const reportedId = z.pipe(
  z.string({ error: missing }).check(z.refine((text) => text.isWellFormed(), { error: 'not_understood' })),
  reported(100),
);

/** ISO 8601, or seconds or milliseconds since the epoch. */
const time = z.pipe(
  z.union([z.string({ error: 'not_understood' }), z.number({ error: 'not_understood' })], { error: missing }).check(
    z.refine((value) => Number.isFinite(new Date(timeOf(value) ?? Number.NaN).getTime()), {
      error: 'not_understood',
    }),
  ),
  z.transform((value) => timeOf(value) as number),
);

export const sendRecords = endpoint({
  route: 'POST /computers/records',
  summary: 'Send records; each is stored once, by its id',
  auth: 'device',
  from: 'computer',
  body: z.object({
    records: z
      .array(
        named(
          'ReportedRecord',
          z.object({ id: reportedId, at: time, kind: reported(60), text: reported(1000) }, { error: 'not_understood' }),
        ),
        { error: missing },
      )
      .check(z.maxLength(maxRecords, { error: 'too_long' })),
  }),
  status: 202,
  response: z.object({ accepted: z.number() }),
  failures: ['too_many_requests'],
});

/** Agents keep the key when they are added, and replace themselves only by what is in a list with its signature. */
export const readUpdate = endpoint({
  route: 'GET /computers/agents/update',
  summary: 'Look for an update of the reference agent',
  auth: 'device',
  response: z.object({ key: z.nullable(z.string()), sums: z.nullable(z.string()), signature: z.nullable(z.string()) }),
  failures: ['too_many_requests'],
});

/** Removes the requesting computer from its account. */
export const leave = endpoint({
  route: 'DELETE /computers/me',
  summary: 'Remove the computer that sends the request',
  auth: 'device',
  from: 'computer',
  /** If others report with the same token, the removal is refused unless it is meant for all of them. */
  query: z.object({ shared: z.optional(z.literal('remove', { error: 'not_understood' })) }),
  failures: ['reported_by_others'],
});
