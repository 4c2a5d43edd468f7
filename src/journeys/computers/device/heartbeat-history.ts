import { quartersTold } from '../../../contract/computers.ts';
import { minutes } from '../../../contract/durations.ts';

interface HeartbeatHistory {
  readonly signs: string;
  readonly last_seen_at: number;
}

const quarter = (time: number) => Math.floor(time / minutes(15));

/** A day's heartbeats as of `now`, one digit per quarter of an hour; older ones drop out. */
export function heartbeatsAt({ signs, last_seen_at }: HeartbeatHistory, now: number): string {
  const passed = Math.min(quartersTold, Math.max(0, quarter(now) - quarter(last_seen_at)));
  return (signs + '0'.repeat(passed)).padStart(quartersTold, '0').slice(-quartersTold);
}

/** The same with a heartbeat at `now`. */
export const withHeartbeat = (seen: HeartbeatHistory, now: number): string =>
  `${heartbeatsAt(seen, now).slice(0, -1)}1`;
