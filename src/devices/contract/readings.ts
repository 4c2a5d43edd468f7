import * as z from 'zod/mini';
import { named } from '../../contract/endpoint.ts';
import { reported } from '../../contract/fields/fields.ts';

/** An agent that does not know a value may omit it or send null. */
export const unreported = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));

const upTo = (most: number) => z.number().check(z.refine((value) => value >= 0 && value <= most));
const bytes = upTo(Number.MAX_SAFE_INTEGER);

/** A value that cannot be true becomes undefined: a computer with one broken sensor must not fall silent. */
const reading = <T extends z.ZodMiniType>(schema: T) => z.catch(unreported(schema), undefined as never);

/** What an agent may say about its computer in a heartbeat. */
export const reportedReadings = z.object(
  {
    disk_free: reading(bytes),
    disk_size: reading(bytes),
    memory_free: reading(bytes),
    memory_size: reading(bytes),
    /** Percent. */
    battery: reading(upTo(100)),
    /** Seconds since the system started. */
    uptime: reading(bytes),
    addresses: reading(z.array(reported(60)).check(z.maxLength(16))),
    system: reading(reported(100)),
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
