import type { Warning } from './record-kinds.ts';

/** What devices report about themselves, in percent: free disk space, used memory, the battery's charge. */
export const alarmValues = ['disk', 'memory', 'battery'] as const;
export type AlarmValue = (typeof alarmValues)[number];

type ValueKind = `${AlarmValue}_${'low' | 'high'}`;

/** What alarms and incidents are about, as the API calls it. */
export const alarmKinds = [
  ...(['computer_silent', 'computer_stopped', 'record'] as const),
  ...(['disk_low', 'disk_high', 'memory_low', 'memory_high', 'battery_low', 'battery_high'] as const),
] satisfies readonly (ValueKind | Warning | 'computer_silent' | 'computer_stopped' | 'record')[];
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
