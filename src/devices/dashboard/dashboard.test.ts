import { expect, it, test } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { activeIn, daysOf, partSince } from './device/month.part.ts';
import { csvOf } from './records/csv.part.ts';
import { wallGrid } from './wall/wall-grid.part.ts';

const screens = [
  [1280, 640],
  [1920, 980],
  [3840, 1990],
  [1080, 1820],
] as const;

test.each([
  [1, '1 state', '1 state'],
  [4, '2 state', '1 state'],
  [12, '3 state', '2 state'],
  [63, '8 name', '4 name'],
  [200, '14 name', '8 name'],
  [1000, '44 nothing', '24 nothing'],
])('%i tiles fill a wide and a high screen', (tiles, wide, high) => {
  const of = (width: number, height: number) => {
    const { columns, shows } = wallGrid({ width, height, tiles, larger: 0 });
    return `${columns} ${shows}`;
  };
  expect(screens.map(([width, height]) => of(width, height))).toEqual([wide, wide, wide, high]);
});

test('larger tiles leave room for all others', () => {
  for (const [width, height] of screens)
    for (const tiles of [60, 200, 300, 1000]) {
      const { columns, wide, high, shows } = wallGrid({ width, height, tiles, larger: 12 });
      const rows = Math.ceil((tiles + 12 * (wide * high - 1)) / columns);
      const [tileWidth, tileHeight] = [width / columns, height / rows];
      // Squares are nearly square, and names have lines.
      const ratio = tileWidth / tileHeight;
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(shows === 'nothing' ? 1.4 : 3);
      expect(wide * tileWidth).toBeGreaterThan(width / 9);
    }
});

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

const record = {
  id: '1',
  at: '2026-11-21T12:00:00.000Z',
  kind: 'door',
  text: '',
  device: 'PC',
  device_id: 'a',
  tags: ['b', 'c'],
};

it.each([
  ['plain text', 'It runs.', '"It runs."'],
  ['quotes and separators', 'a "b", c;\nd', '"a ""b"", c;\nd"'],
  ['a formula', '=HYPERLINK("http://evil")', '"\'=HYPERLINK(""http://evil"")"'],
  ['a formula behind a space', ' \u00a0+1', '"\' \u00a0+1"'],
  ['a minus', '-1', '"\'-1"'],
  ['an at sign', '@SUM(A1)', '"\'@SUM(A1)"'],
  ['a tab', '\t=1', '"\'\t=1"'],
  ['a carriage return', '\rx', '"\'\rx"'],
  ['a formula further inside', 'a=1', '"a=1"'],
])('the CSV file of records neutralizes %s', (_what, text, written) => {
  expect(csvOf({ ...record, text })).toBe(`"2026-11-21T12:00:00.000Z","PC","door",${written},"a","1","b, c"\r\n`);
});
