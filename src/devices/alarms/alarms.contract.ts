import * as z from 'zod/mini';
import { endpoint, named, ownId, type ResponseBody } from '../../contract/endpoint.ts';
import { timeZone } from '../../contract/fields/fields.ts';
import { type NewPause, newPause, pause, timeOfDay, usuallyOff } from '../contract/pauses.ts';
import { eachWarning } from '../contract/record-kinds.ts';

/** Agents send a heartbeat every minute; fewer minutes would report a restart as silence. */
export const shortestSilence = 5;
/** A week. */
export const longestSilence = 7 * 24 * 60;
/** A year. */
const longestMute = 365 * 24 * 60;
export const furtherNotice = 'until_further_notice';

const missing = (issue: { input: unknown }) => (issue.input === undefined ? 'required' : 'not_understood');

const minutesFrom = (least: number, max: number) =>
  z
    .number({ error: missing })
    .check(z.refine((count) => Number.isInteger(count) && count >= least && count <= max, { error: 'not_understood' }));
const choice = z.boolean({ error: missing });

/** What causes an alarm. */
const rules = {
  /** Minutes without a signal; null for no such alarm. */
  silent_after_minutes: z.nullable(minutesFrom(shortestSilence, longestSilence)),
  ...eachWarning(() => choice),
};

/** Emails wait from and until these times, in the time zone of the account. */
const quietHours = named('QuietHours', z.object({ from: timeOfDay, until: timeOfDay }, { error: 'not_understood' }));

const ownRules = named('AlarmRules', z.object(rules, { error: 'not_understood' }));

const computer = named(
  'ComputerAlarms',
  z.object({
    id: z.string(),
    name: z.string(),
    tags: z.array(z.string()),
    /** Rules of its own; null for those of its tags or of the account. */
    rules: z.nullable(ownRules),
    muted: z.boolean(),
    /** ISO 8601, UTC; null if it is not muted, or muted until further notice. */
    muted_until: z.nullable(z.string()),
  }),
);

/** Rules for all computers with a tag. If several tags of a computer have rules, the strictest count. */
const tagged = named('TagAlarmRules', z.object({ tag: z.string(), rules: ownRules }));

const response = named(
  'Alarms',
  z.object({
    ...rules,
    tags: z.array(tagged),
    /** Whether alarms are also sent by email; notifications always appear. */
    email: z.boolean(),
    /** Emails are sent only to a confirmed address. */
    email_confirmed: z.boolean(),
    quiet_hours: z.nullable(quietHours),
    /** IANA name. */
    time_zone: z.string(),
    /** Times without alarms. */
    pauses: z.array(pause),
    /** Offers of off hours, by the last 30 days of the devices without any. */
    usually_off: z.array(usuallyOff),
    computers: z.array(computer),
  }),
);

export const readAlarms = endpoint({
  method: 'GET',
  path: '/account/alarms',
  summary: 'Read the alarm rules of the account and of its computers',
  auth: 'bearer',
  status: 200,
  response,
});

export type Alarms = ResponseBody<typeof readAlarms>;
/** The rules of a computer or a tag. */
export type OwnRules = Alarms['tags'][number]['rules'];

export const changeAlarms = endpoint({
  method: 'PUT',
  path: '/account/alarms',
  summary: 'Set the alarm rules of the account',
  auth: 'bearer',
  /** Absent quiet hours stay unchanged; null: none. */
  body: z.object({ ...rules, email: choice, quiet_hours: z.optional(z.nullable(quietHours)) }),
  status: 200,
  response,
  failures: ['too_many_requests'],
});

export const readComputerAlarms = endpoint({
  method: 'GET',
  path: '/computers/:id/alarms',
  summary: 'Read the alarm rules of the account and of one of its computers',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 200,
  response: z.object({ ...rules, tags: z.array(tagged), computer }),
  failures: ['not_found'],
});

export const changeComputerAlarms = endpoint({
  method: 'PUT',
  path: '/computers/:id/alarms',
  summary: 'Set a computer’s own alarm rules, or mute it',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  /** An absent field stays unchanged. */
  body: z.object({
    /** Null: the rules of its tags or of the account. */
    rules: z.optional(z.nullable(ownRules)),
    /** Minutes from now; null ends a mute. */
    mute: z.optional(
      z.nullable(
        z.union([z.literal(furtherNotice, { error: 'not_understood' }), minutesFrom(1, longestMute)], {
          error: 'not_understood',
        }),
      ),
    ),
  }),
  status: 200,
  response: computer,
  failures: ['not_found', 'too_many_requests'],
});

export const changeTagAlarms = endpoint({
  method: 'PUT',
  path: '/account/alarms/tags',
  summary: 'Set the alarm rules of the computers with a tag, or remove them; a computer’s own rules come first',
  auth: 'bearer',
  /** Null: the rules of the account. */
  body: z.object({ tag: z.string({ error: missing }), rules: z.nullable(ownRules) }),
  status: 200,
  response: z.object({ tags: z.array(tagged) }),
  /** `not_found`: no computer has the tag. */
  failures: ['not_found', 'too_many_requests'],
});

const pauses = z.object({ pauses: z.array(pause) });

export const addPause = endpoint({
  method: 'POST',
  path: '/account/alarms/pauses',
  summary: 'Add off hours of devices, or plan maintenance',
  auth: 'bearer',
  body: newPause,
  status: 201,
  response: pauses,
  failures: ['too_many_requests', 'alarm_limit_reached'],
});

export const changePause = endpoint({
  method: 'PUT',
  path: '/account/alarms/pauses/:id',
  summary: 'Change off hours or planned maintenance',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  body: newPause,
  status: 200,
  response: pauses,
  failures: ['not_found', 'too_many_requests'],
});

export const removePause = endpoint({
  method: 'DELETE',
  path: '/account/alarms/pauses/:id',
  summary: 'Remove off hours, or cancel planned maintenance',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 200,
  response: pauses,
  failures: ['not_found', 'too_many_requests'],
});

export const testAlarm = endpoint({
  method: 'POST',
  path: '/account/alarms/test',
  summary: 'Send a test alarm to the owner',
  auth: 'bearer',
  status: 200,
  /** Whether an email was sent as well. */
  response: z.object({ email: z.boolean() }),
  failures: ['too_many_requests'],
});

interface TypedQuietHours {
  readonly alarm_email: boolean;
  readonly alarm_quiet: boolean;
  readonly alarm_from: string;
  readonly alarm_until: string;
}

/** The page hides both times while the owner gets no emails or chooses no quiet hours: they cannot be wrong then. */
function isTimeWhileShown(field: 'alarm_from' | 'alarm_until') {
  return z.refine<TypedQuietHours>(
    ({ alarm_email, alarm_quiet, [field]: time }) => !alarm_email || !alarm_quiet || timeOfDay.safeParse(time).success,
    { error: 'required', path: [field] },
  );
}

/** The quiet hours of a valid form; undefined, which leaves them unchanged, if a hidden time is missing. */
export function quietHoursOf({ alarm_quiet, alarm_from: from, alarm_until: until }: TypedQuietHours) {
  if (!alarm_quiet) return null;
  return quietHours.safeParse({ from, until }).data;
}

/** The page's forms. Their fields have names of their own, because other forms on the page also have an email. */
export const rulesForm = z
  .object({
    alarm_silent: z.string(),
    ...eachWarning(() => choice),
    alarm_email: choice,
    alarm_quiet: choice,
    alarm_from: z.string(),
    alarm_until: z.string(),
  })
  .check(isTimeWhileShown('alarm_from'), isTimeWhileShown('alarm_until'));

const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;
const eachDay = <T>(value: T) => ({
  ...{ day_1: value, day_2: value, day_3: value, day_4: value },
  ...{ day_5: value, day_6: value, day_7: value },
});

interface TypedPause extends Readonly<ReturnType<typeof eachDay<boolean>>> {
  readonly pause_from: string;
  readonly pause_until: string;
  readonly pause_zone: string;
}

const formOf = (kind: NewPause['kind']) =>
  z
    .object({ pause_from: z.string(), pause_until: z.string(), pause_zone: timeZone, ...eachDay(choice) })
    .check((typed) => {
      const { error } = newPause.safeParse({ ...pauseOf(kind, typed.value), tags: [], computers: [] });
      for (const { path, message } of error?.issues ?? [])
        if (path[0] === 'from' || path[0] === 'until')
          typed.issues.push({ code: 'custom', input: typed.value, path: [`pause_${path[0]}`], message });
    });

/** The page's forms for times without alarms. */
export const pauseForms = { off_hours: formOf('off_hours'), maintenance: formOf('maintenance') };

/** What a form sends, besides its scope. */
export function pauseOf(kind: NewPause['kind'], typed: TypedPause) {
  const { pause_from: from, pause_until: until, pause_zone: time_zone } = typed;
  if (kind === 'maintenance') return { kind, time_zone, from, until };
  const days_off = weekdays.filter((day) => typed[`day_${day}`]);
  return { kind, time_zone, from: from || null, until: until || null, days_off };
}

/** The forms of exceptions, by their only field. */
export const silenceForms = {
  alarm_device_silent: z.object({ alarm_device_silent: z.string() }),
  alarm_tag_silent: z.object({ alarm_tag_silent: z.string() }),
};
