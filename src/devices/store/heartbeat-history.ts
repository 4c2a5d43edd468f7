import { hours, minutes } from '../../contract/units.ts';
import { quartersShown } from '../contract/computers.ts';
import { historyHours, historyLength } from '../contract/record-kinds.ts';

interface HeartbeatHistory {
  readonly signs: string;
  readonly last_seen_at: number;
}

const quarter = (time: number) => Math.floor(time / minutes(15));

/** A day's heartbeats as of `now`, one digit per quarter of an hour; older ones drop out. */
function heartbeatsAt({ signs, last_seen_at }: HeartbeatHistory, now: number): string {
  const passed = Math.min(quartersShown, Math.max(0, quarter(now) - quarter(last_seen_at)));
  return (signs + '0'.repeat(passed)).padStart(quartersShown, '0').slice(-quartersShown);
}

/** The same with a heartbeat at `now`. */
export const withHeartbeat = (seen: HeartbeatHistory, now: number): string =>
  `${heartbeatsAt(seen, now).slice(0, -1)}1`;

/** The same as of `now`, without the time before the device was added. */
export const heartbeatsSince = (seen: HeartbeatHistory & { readonly created_at: number }, now: number): string =>
  heartbeatsAt(seen, now).slice(-Math.max(1, quarter(now) - quarter(seen.created_at) + 1));

export interface LongHistory extends HeartbeatHistory {
  readonly history: string;
}

export const spanOf = (time: number) => Math.floor(time / hours(historyHours));
/** Quarter hours in a span, which one digit can count. */
export const quartersOfSpan = historyHours * 4;
export const historyBase = quartersOfSpan + 1;

/** Thirty days of heartbeats as of `now`, one digit per three hours; older ones drop out. */
export function historyAt({ history, last_seen_at }: LongHistory, now: number): string {
  const passed = Math.min(historyLength, Math.max(0, spanOf(now) - spanOf(last_seen_at)));
  return (history + '0'.repeat(passed)).slice(-historyLength);
}

/** The same with a heartbeat at `now`, which counts once in a quarter of an hour. */
export function historyWithHeartbeat(seen: LongHistory, now: number): string {
  const known = historyAt(seen, now);
  const isCounted = heartbeatsAt(seen, now).endsWith('1');
  const counted = Number.parseInt(known.at(-1) ?? '0', historyBase) + (isCounted ? 0 : 1);
  return known.slice(0, -1) + Math.min(quartersOfSpan, counted).toString(historyBase);
}
