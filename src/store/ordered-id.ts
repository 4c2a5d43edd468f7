import { randomUUID } from 'node:crypto';

let newest = { at: 0, count: 0 };
const mostInOneMillisecond = 0xfff;

/** A UUID that sorts before every id of `time` and after all earlier ones. */
export function firstIdOf(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * A UUID version 7 that is greater than all earlier ones of this process; Node's are in random order within a
 * millisecond. The 12 bits after the time are a counter (RFC 9562, section 6.2, method 1), which continues if the clock
 * is set back.
 */
export function orderedId(now: number = Date.now()): string {
  newest = now > newest.at ? { at: now, count: 0 } : { at: newest.at, count: newest.count + 1 };
  if (newest.count > mostInOneMillisecond) newest = { at: newest.at + 1, count: 0 };
  const time = newest.at.toString(16).padStart(12, '0');
  const count = newest.count.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`;
}
