import * as z from 'zod/mini';
import { named } from '../../contract/endpoint.ts';
import { missing, timeZone } from '../../contract/fields/fields.ts';
import { readTime } from '../../contract/fields/time.ts';

/** A time of day, such as `22:00`. */
export const timeOfDay = z
  .string({ error: missing })
  .check(z.refine((text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text), { error: 'required' }));

/** Calm messages wait from and until these times, in the time zone of the account. */
export const quietHours = named(
  'QuietHours',
  z.object({ from: timeOfDay, until: timeOfDay }, { error: 'not_understood' }),
);

/** A minute without a time zone, such as `2026-12-01T22:00`. */
const localMinute = z.string({ error: missing }).check(
  z.refine((text) => /^20\d\d-\d\d-\d\dT\d\d:\d\d$/.test(text) && readTime(text) !== undefined, {
    error: 'required',
  }),
);

/** More devices than an account has. */
const maxNames = 10_000;
const names = z
  .array(z.string({ error: 'not_understood' }).check(z.maxLength(200, { error: 'too_long' })), { error: missing })
  .check(z.maxLength(maxNames, { error: 'too_long' }));

/** Which devices: those with any of these tags, and these; both lists are empty for all devices. */
export const scope = { tags: names, computers: names };

export interface Scope {
  readonly tags: readonly string[];
  readonly computers: readonly string[];
}

export const isInScope = (
  { tags, computers }: Scope,
  device: { readonly id: string; readonly tags: readonly string[] },
): boolean =>
  (tags.length === 0 && computers.length === 0) ||
  computers.includes(device.id) ||
  tags.some((tag) => device.tags.includes(tag));

/** From Monday, 1, to Sunday, 7. */
const weekday = z
  .number({ error: missing })
  .check(z.refine((day) => Number.isInteger(day) && day >= 1 && day <= 7, { error: 'not_understood' }));

/** A device may be off every day of the week, but not always. */
const maxDaysOff = 6;

const offHours = named(
  'OffHours',
  z
    .object({
      kind: z.literal('off_hours'),
      ...scope,
      time_zone: timeZone,
      /** Each day; null with `until` for whole days only. */
      from: z.nullable(timeOfDay),
      until: z.nullable(timeOfDay),
      days_off: z.array(weekday, { error: missing }).check(z.maxLength(maxDaysOff, { error: 'too_long' })),
    })
    .check(
      z.refine(({ from, days_off: days }) => from !== null || days.length > 0, { error: 'required', path: ['from'] }),
      z.refine(({ from, until }) => (from === null) === (until === null), { error: 'required', path: ['until'] }),
      z.refine(({ from, until }) => from === null || from !== until, { error: 'not_understood', path: ['until'] }),
    ),
);

const maintenance = named(
  'Maintenance',
  z
    .object({ kind: z.literal('maintenance'), ...scope, time_zone: timeZone, from: localMinute, until: localMinute })
    .check(z.refine(({ from, until }) => from < until, { error: 'not_understood', path: ['until'] })),
);

/** A time without alarms: hours in which devices are off as usual, or planned maintenance. */
export const newPause = z.discriminatedUnion('kind', [offHours, maintenance], { error: 'not_understood' });
export type NewPause = z.output<typeof newPause>;
export type Pause = NewPause & { readonly id: string };

const details = {
  kind: z.enum(['off_hours', 'maintenance']),
  tags: z.array(z.string()),
  computers: z.array(z.string()),
  time_zone: z.string(),
  from: z.nullable(z.string()),
  until: z.nullable(z.string()),
  days_off: z.array(z.number()),
};
/** As an export describes it. */
export const pauseDetails = z.object(details);

/** As the API describes it. */
export const pause = named(
  'AlarmPause',
  z.object({
    id: z.string(),
    ...details,
    /** The next three occurrences, or the current one and two more. */
    next: z.array(named('PauseOccurrence', z.object({ from: z.string(), until: z.string() }))),
  }),
);

/** Hours in which these devices are usually off, by their last 30 days. */
export const usuallyOff = named(
  'UsuallyOff',
  z.object({
    computers: z.array(z.string()),
    from: z.string(),
    until: z.string(),
    days_off: z.array(z.number()),
  }),
);
