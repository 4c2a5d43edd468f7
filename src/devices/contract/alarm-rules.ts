import * as z from 'zod/mini';
import { named } from '../../contract/endpoint.ts';
import { missing } from '../../contract/fields/fields.ts';
import { wordsFinder } from '../../contract/plain-text.ts';
import { alarmChannels } from './alarm-channels.ts';
import { type AlarmKind, type AlarmValue, alarmValues, kindAbout } from './alarm-kinds.ts';
import { isInScope, scope } from './pauses.ts';
import type { DeviceKind } from './record-kinds.ts';

/** Agents send a heartbeat every minute; fewer minutes would report a restart as silence. */
const shortestSilence = 5;
/** A week. */
const longestSilence = 7 * 24 * 60;
/** A day. */
const longestExcess = 24 * 60;
const longestPauseOfReminders = 7 * 24;
export const maxRules = 50;

const wholeFrom = (least: number, most: number) =>
  z
    .number({ error: missing })
    .check(
      z.refine((count) => Number.isInteger(count) && count >= least && count <= most, { error: 'not_understood' }),
    );
const searched = z.string({ error: missing }).check(z.maxLength(200, { error: 'too_long' }));

const condition = z.discriminatedUnion(
  'event',
  [
    named(
      'SilenceCondition',
      z.object(
        {
          event: z.literal('silent', { error: 'not_understood' }),
          after_minutes: wholeFrom(shortestSilence, longestSilence),
        },
        { error: 'not_understood' },
      ),
    ),
    named(
      'StopCondition',
      z.object({ event: z.literal('stopped', { error: 'not_understood' }) }, { error: 'not_understood' }),
    ),
    named(
      'RecordCondition',
      z
        /** Of this kind, and with this text; one of them may be empty. */
        .object(
          { event: z.literal('record', { error: 'not_understood' }), kind: searched, text: searched },
          { error: 'not_understood' },
        )
        .check(z.refine(({ kind, text }) => `${kind}${text}`.trim() !== '', { error: 'required', path: ['text'] })),
    ),
    named(
      'ValueCondition',
      z.object(
        {
          event: z.literal('value', { error: 'not_understood' }),
          value: z.enum(alarmValues, { error: missing }),
          is: z.enum(['below', 'above'], { error: missing }),
          /** In percent. */
          limit: wholeFrom(1, 99),
          for_minutes: wholeFrom(0, longestExcess),
        },
        { error: 'not_understood' },
      ),
    ),
  ],
  { error: 'not_understood' },
);

export type Condition = z.output<typeof condition>;
export type ConditionOf<Event extends Condition['event']> = Extract<Condition, { readonly event: Event }>;

export const shape = {
  ...scope,
  when: condition,
  by: z.enum(['all', 'chosen', 'none'], { error: missing }),
  /** Empty unless `chosen`; then an empty list means only the dashboard. */
  channels: z.array(z.enum(alarmChannels, { error: 'not_understood' }), { error: missing }),
  at_end: z.boolean({ error: missing }),
  remind_hours: z.nullable(wholeFrom(1, longestPauseOfReminders)),
};

/** A rule that a client sends. */
export const newAlarmRule = named('NewAlarmRule', z.object(shape, { error: 'not_understood' }));
/** The same in a response or an export. */
export const alarmRule = named('AlarmRule', z.object({ id: z.string(), ...shape }));

export type NewAlarmRule = z.output<typeof newAlarmRule>;
export type AlarmRule = z.output<typeof alarmRule>;

const usual = { tags: [], computers: [], by: 'all', channels: [], at_end: true, remind_hours: null } as const;
const low = (value: AlarmValue, limit: number): ConditionOf<'value'> => ({
  ...{ event: 'value', value, is: 'below', limit, for_minutes: 0 },
});

/** The rules of an account whose owner has changed none. */
export const defaultAlarmRules: readonly AlarmRule[] = (
  [
    ['silent', { event: 'silent', after_minutes: 60 }],
    ['disk', low('disk', 5)],
    ['battery', low('battery', 15)],
  ] as const
).map(([id, when]) => ({ ...usual, tags: [], computers: [], channels: [], id, when }));

interface Device {
  readonly id: string;
  readonly tags: readonly string[];
  readonly kind: DeviceKind;
}

/** Rules about the same are of one kind, of which the first that matches a device decides. */
export const kindOf = ({ when }: Pick<AlarmRule, 'when'>): AlarmKind => kindAbout(when);

/** A smartphone sleeps most of the time: only a rule that names it is about its silence. */
const matches = (rule: Pick<NewAlarmRule, 'tags' | 'computers' | 'when'>, device: Device): boolean =>
  isInScope(rule, device) &&
  (device.kind !== 'smartphone' || rule.when.event !== 'silent' || rule.computers.includes(device.id));

/** The rules that decide for a device: the first of each kind, and each about records. */
export function decidingFor(rules: readonly AlarmRule[], device: Device): AlarmRule[] {
  const own = rules.filter((rule) => matches(rule, device));
  return own.filter((rule, at) => {
    const kind = kindOf(rule);
    return kind === 'record' || own.findIndex((other) => kindOf(other) === kind) === at;
  });
}

/** `unmatched`: no device is in its scope. `asleep`: only smartphones are, which nothing names. `shadowed`: earlier ones decide. */
type Idleness = 'unmatched' | 'asleep' | 'shadowed';

/** The rules that decide for none of an account's devices, by their ids, and why. An account without devices has none. */
export function idleRules(rules: readonly AlarmRule[], devices: readonly Device[]): ReadonlyMap<string, Idleness> {
  const deciding = new Set(devices.flatMap((device) => decidingFor(rules, device)));
  const idle = devices.length === 0 ? [] : rules.filter((rule) => !deciding.has(rule));
  const reasonOf = (rule: AlarmRule): Idleness => {
    if (devices.some((device) => matches(rule, device))) return 'shadowed';
    return devices.some((device) => isInScope(rule, device)) ? 'asleep' : 'unmatched';
  };
  return new Map(idle.map((rule) => [rule.id, reasonOf(rule)]));
}

/** Whether a record is of the kind, and has the words, that a rule names. */
export const matchesRecord = (
  { kind, text }: ConditionOf<'record'>,
  record: { readonly kind: string; readonly text: string },
): boolean => (kind === '' || kind === record.kind) && wordsFinder(text)(record.text);
