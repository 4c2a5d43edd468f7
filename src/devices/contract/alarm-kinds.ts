import { type Trended, trended } from './readings.ts';

/** What devices report about themselves, in percent: free disk space, used memory, the battery's charge. */
export const alarmValues = trended;
export type AlarmValue = Trended;

/** What alarms and incidents are about, as the API calls it. */
export const alarmKinds = [
  ...(['computer_silent', 'computer_stopped', 'record'] as const),
  ...alarmValues.flatMap((value) => [`${value}_low`, `${value}_high`] as const),
];
export type AlarmKind = (typeof alarmKinds)[number];

/** It happens, and has no end. */
export const isMoment = (kind: AlarmKind): boolean => kind === 'computer_stopped' || kind === 'record';

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
