import { type Trended, trended } from './readings.ts';

/** What devices report about themselves, in percent: free disk space, used memory, the battery's charge. */
export const alarmValues = trended;
export type AlarmValue = Trended;

/** What else causes alarms, by the event of their rules. `isMoment`: it happens, and has no end. */
const events = {
  silent: { kind: 'computer_silent', isMoment: false },
  stopped: { kind: 'computer_stopped', isMoment: true },
  record: { kind: 'record', isMoment: true },
} as const;
export type EventName = keyof typeof events;

const sides = { below: 'low', above: 'high' } as const;
type Side = keyof typeof sides;

/** What an alarm is about, as its rule says it. */
type About = { readonly event: EventName } | { readonly event: 'value'; readonly value: AlarmValue; readonly is: Side };

/** The kind of the alarms of a rule. */
export const kindAbout = (about: About) =>
  about.event === 'value' ? (`${about.value}_${sides[about.is]}` as const) : events[about.event].kind;

/** What alarms and incidents are about, as the API calls it. */
export type AlarmKind = ReturnType<typeof kindAbout>;

const eachSide = (value: AlarmValue): readonly About[] => [
  { event: 'value', value, is: 'below' },
  { event: 'value', value, is: 'above' },
];
const abouts = new Map(
  [...(Object.keys(events) as EventName[]).map((event): About => ({ event })), ...alarmValues.flatMap(eachSide)].map(
    (about) => [kindAbout(about), about],
  ),
);
export const alarmKinds: readonly AlarmKind[] = [...abouts.keys()];

export const aboutOf = (kind: AlarmKind): About => abouts.get(kind) as About;

export const isMoment = (kind: AlarmKind): boolean =>
  Object.values(events).some((event) => event.kind === kind && event.isMoment);

/** The value that alarms of a kind are about; undefined for the others. */
export const alarmValueOf = (kind: AlarmKind): AlarmValue | undefined =>
  alarmValues.find((value) => kind.startsWith(`${value}_`));

/** The texts that name a value. */
export const valueNames = {
  disk: 'rules.disk',
  memory: 'rules.memory',
  battery: 'rules.battery',
} as const satisfies Record<AlarmValue, string>;

/** The texts with a value at the end of an alarm. */
export const endValueWords = {
  disk: 'mail.incident.disk',
  memory: 'mail.incident.memory',
  battery: 'mail.incident.battery',
} as const satisfies Record<AlarmValue, string>;

/** The titles of incidents, on pages and in messages. */
export const incidentWords = {
  computer_silent: 'mail.incident.silent',
  disk_low: 'mail.incident.disk_low',
  battery_low: 'mail.incident.battery_low',
  computer_stopped: 'mail.incident.stopped',
  record: 'mail.incident.record',
  disk_high: 'mail.incident.value',
  memory_low: 'mail.incident.value',
  memory_high: 'mail.incident.value',
  battery_high: 'mail.incident.value',
} as const satisfies Record<AlarmKind, string>;
