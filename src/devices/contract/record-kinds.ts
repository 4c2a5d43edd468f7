import { minutes } from '../../contract/units.ts';

/** Kinds of records that pages have text for; a computer may report any other, which is shown unchanged. */
export const recordKinds = [
  'start',
  'stop',
  'network_lost',
  'network_back',
  'disk_low',
  'disk_enough',
  'battery_low',
  'battery_enough',
  /** Recorded by the service itself. */
  'reading_ignored',
] as const;

export type RecordKind = (typeof recordKinds)[number];

/** Warnings, each with the kind of record that ends it. */
export const endsOfWarnings = {
  disk_low: 'disk_enough',
  battery_low: 'battery_enough',
} as const satisfies Partial<Record<RecordKind, RecordKind>>;

export type Warning = keyof typeof endsOfWarnings;

export const warnings = Object.keys(endsOfWarnings) as readonly Warning[];

/** Why a computer says goodbye. */
export const goodbyeReasons = ['shutdown', 'restart', 'update', 'suspend', 'stop'] as const;
export type GoodbyeReason = (typeof goodbyeReasons)[number];

/** Why a computer is off: as it said, or because it always is at this hour. */
export const offReasons = [...goodbyeReasons, 'off_hours'] as const;
export type OffReason = (typeof offReasons)[number];

/** After an outage of the service, agents return within their longest back-off, ten minutes (`bin/agent/report.mjs`). */
export const returnWithin = minutes(15);

/** A smartphone that reports from its browser is silent whenever it sleeps. */
export const deviceKinds = ['computer', 'smartphone'] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/** Hours that a digit of a history stands for. */
export const historyHours = 3;
/** Digits of a history: thirty days. */
export const historyLength = 240;
