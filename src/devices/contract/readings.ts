import * as z from 'zod/mini';
import { named } from '../../contract/endpoint.ts';
import { reported } from '../../contract/fields/fields.ts';

/** An agent that does not know a value may omit it or send null. */
export const unreported = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));

const upTo = (most: number) =>
  z
    .number({ error: 'not_understood' })
    .check(z.refine((value) => value >= 0 && value <= most, { error: 'not_understood' }));
const bytes = upTo(Number.MAX_SAFE_INTEGER);

/** What an agent may say about its computer in a heartbeat. */
export const reportedReadings = z.object(
  {
    disk_free: unreported(bytes),
    disk_size: unreported(bytes),
    memory_free: unreported(bytes),
    memory_size: unreported(bytes),
    /** Percent. */
    battery: unreported(upTo(100)),
    /** Seconds since the system started. */
    uptime: unreported(bytes),
    addresses: unreported(
      z.array(reported(60), { error: 'not_understood' }).check(z.maxLength(16, { error: 'too_long' })),
    ),
    system: unreported(reported(100)),
  },
  { error: 'not_understood' },
);

const number = z.nullable(z.number());

/** What a computer last said about itself; null for what it did not say. */
export const readings = named(
  'Readings',
  z.object({
    disk_free: number,
    disk_size: number,
    memory_free: number,
    memory_size: number,
    battery: number,
    uptime: number,
    addresses: z.array(z.string()),
    system: z.nullable(z.string()),
    at: z.string(),
  }),
);

/** Values in percent that have a chart and alarms: the free part of disk and memory, and the battery’s charge. */
export const trended = ['disk', 'memory', 'battery'] as const;
export type Trended = (typeof trended)[number];

/** Points of a trend, each for three hours: a week. */
export const trendLength = 56;

/** Makes something for each of these values. */
export const forTrended = <T>(make: (what: Trended) => T): Record<Trended, T> =>
  Object.fromEntries(trended.map((what) => [what, make(what)])) as Record<Trended, T>;

/** In percent, the lowest in each three hours (divided in UTC), the newest last; null where it is unknown. */
export const trends = z.object(forTrended(() => z.array(number)));
