import { expect, it } from 'vitest';
import { days, hours, minutes } from '../../../contract/units.ts';
import { activeIn, daysOf, partSince } from './month.part.ts';

const known = (history: string, at: number) =>
  daysOf(history, at).map(({ spans }) => spans.map((part) => (part === undefined ? '.' : String(part * 12))).join(' '));

it('a history becomes thirty days of eight spans, with unknown ones at its ends', () => {
  const midnight = new Date(2026, 10, 21).getTime();
  // The tests run in UTC or wherever the machine is; noon is in the middle of a span in most time zones.
  const at = midnight + hours(13.5);
  const month = daysOf('c60', at);
  expect(month).toHaveLength(30);
  expect(month.at(-1)?.start).toBe(midnight);
  const parts = month.flatMap(({ spans }) => spans.filter((part) => part !== undefined));
  expect(parts).toEqual([1, 0.5, 0]);
  expect(known('', at).join(' ')).toBe(Array(240).fill('.').join(' '));
});

it('a full history fills every day except for the hours to come', () => {
  const at = new Date(2026, 10, 21, 23, 59).getTime();
  const full = known('c'.repeat(240), at + days(0));
  expect(full.slice(1).every((day) => !day.startsWith('.'))).toBe(true);
});

it('the part with heartbeats counts from when the device was added', () => {
  const at = days(20_000);
  const part = (digits: string, age: number) => partSince(activeIn(digits), { added: at - age, at, period: days(30) });
  expect(part('1', minutes(10))).toEqual({ part: 1, isWhole: false });
  expect(part('6', hours(3))).toEqual({ part: 0.5, isWhole: false });
  expect(part('c'.repeat(120), days(400))).toEqual({ part: 0.5, isWhole: true });
});
