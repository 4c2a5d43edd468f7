import { expect, test } from 'vitest';
import { readTime } from './time.ts';

test.each([
  ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-02-28T10:00:00.123456+00:00', '2026-02-28T10:00:00.123Z'],
  ['2026-02-28 10:00:00+0130', '2026-02-28T08:30:00.000Z'],
  ['2026-02-28t10:00z', '2026-02-28T10:00:00.000Z'],
  // As Python writes it: the same on servers in all time zones.
  ['2026-02-28T10:00:00.5', '2026-02-28T10:00:00.500Z'],
  ['2026-02-30T10:00:00Z', undefined],
  ['2026-02-29', undefined],
  ['2026-04-31T00:00:00Z', undefined],
  ['2026-13-01', undefined],
  ['2026-00-10', undefined],
  ['2026-02-28T25:00:00Z', undefined],
  ['2026-02-28T10:61:00Z', undefined],
  ['1790000000', undefined],
  ['Feb 30 2026', undefined],
  ['soon', undefined],
  ['', undefined],
])('%j is %j', (text, time) => {
  const read = readTime(text);
  expect(read && new Date(read).toISOString()).toBe(time);
});
