import * as z from 'zod/mini';
import { endpoint, named, ownId, type ResponseBody } from '../../contract/endpoint.ts';
import { timeZone } from '../../contract/fields/fields.ts';
import { alarmChannels } from '../contract/alarm-channels.ts';
import { alarmRule } from '../contract/alarm-rules.ts';
import { type NewPause, newPause, pause, quietHours, timeOfDay, usuallyOff } from '../contract/pauses.ts';
import { computerAlarms } from './device-alarms.contract.ts';

const choice = z.boolean({ error: 'required' });

const response = named(
  'Alarms',
  z.object({
    /** In the order in which they decide. */
    rules: z.array(alarmRule),
    /** Those that are set up and can reach the owner; emails only to a confirmed address. */
    channels: z.array(z.enum(alarmChannels)),
    email_confirmed: z.boolean(),
    quiet_hours: z.nullable(quietHours),
    /** IANA name. */
    time_zone: z.string(),
    pauses: z.array(pause),
    usually_off: z.array(usuallyOff),
    computers: z.array(computerAlarms),
  }),
);

export const readAlarms = endpoint({
  route: 'GET /account/alarms',
  summary: 'Read the alarm rules of the account, and what else it chose about alarms',
  auth: 'bearer',
  status: 200,
  response,
});

export type Alarms = ResponseBody<typeof readAlarms>;

export const changeQuietHours = endpoint({
  route: 'PUT /account/alarms/quiet-hours',
  summary: 'Set the hours in which calm messages wait',
  auth: 'bearer',
  /** Null: none. */
  body: z.object({ quiet_hours: z.nullable(quietHours) }),
  status: 200,
  response,
  failures: ['too_many_requests'],
});

const pauses = z.object({ pauses: z.array(pause) });

export const addPause = endpoint({
  route: 'POST /account/alarms/pauses',
  summary: 'Add off hours of devices, or plan maintenance',
  auth: 'bearer',
  body: newPause,
  status: 201,
  response: pauses,
  failures: ['too_many_requests', 'alarm_limit_reached'],
});

export const changePause = endpoint({
  route: 'PUT /account/alarms/pauses/:id',
  summary: 'Change off hours or planned maintenance',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  body: newPause,
  status: 200,
  response: pauses,
  failures: ['not_found', 'too_many_requests'],
});

export const removePause = endpoint({
  route: 'DELETE /account/alarms/pauses/:id',
  summary: 'Remove off hours, or cancel planned maintenance',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 200,
  response: pauses,
  failures: ['not_found', 'too_many_requests'],
});

/** The page's form of quiet hours; it hides the times while there are none. */
export const quietForm = z
  .object({ alarm_quiet: choice, alarm_from: z.string(), alarm_until: z.string() })
  .check((typed) => {
    const { alarm_quiet: isOn, ...times } = typed.value;
    for (const [field, input] of Object.entries(times))
      if (isOn && !timeOfDay.safeParse(input).success)
        typed.issues.push({ code: 'custom', input, path: [field], message: 'required' });
  });

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
