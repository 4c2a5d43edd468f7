import { expect, it } from 'vitest';
import { days, hours } from '../../contract/units.ts';
import { readingsAfter, readReadings } from './readings.ts';

const start = days(20_000);
const disk = (free: number) => ({ disk_free: free, disk_size: 1000 });

it('a trend keeps the lowest value of each three hours, with gaps, for a week', () => {
  let kept = readingsAfter('', disk(500), start);
  kept = readingsAfter(kept, disk(90), start + hours(1));
  kept = readingsAfter(kept, disk(1000), start + hours(2));
  kept = readingsAfter(kept, { battery: 80 }, start + hours(9));
  expect(readReadings(kept, start + hours(10))).toMatchObject({
    readings: { disk_free: null, battery: 80, addresses: [], at: '2024-10-04T09:00:00.000Z' },
    trends: { disk: [9, null, null, null], memory: [null, null, null, null], battery: [null, null, null, 80] },
  });
  const later = readReadings(kept, start + days(7) + hours(6)).trends;
  expect(later?.disk).toEqual(Array(56).fill(null));
  expect(later?.battery.indexOf(80)).toBe(0);
});

it('a value that an earlier build did not keep begins with the first report', () => {
  const { trends: _, ...kept } = JSON.parse(readingsAfter('', { battery: 80 }, start));
  const { system: __, ...said } = kept.said;
  expect(readReadings(JSON.stringify({ ...kept, said, trends: {} }), start).readings).toMatchObject({ system: null });
  const after = readingsAfter(JSON.stringify({ ...kept, trends: { disk: '10' } }), { battery: 70 }, start + hours(3));
  expect(readReadings(after, start + hours(3)).trends).toEqual({
    disk: [10, null],
    memory: [null, null],
    battery: [null, 70],
  });
});

it('a full, an empty and an impossible disk stay two digits, and silence about it changes nothing', () => {
  for (const [free, size, shown] of [
    [1000, 1000, 99],
    [0, 1000, 0],
    [9e15, 1, 99],
    [5, 0, null],
  ] as const)
    expect(readReadings(readingsAfter('', { disk_free: free, disk_size: size }, start), start).trends?.disk).toEqual([
      shown,
    ]);
  const kept = readingsAfter('', disk(1), start);
  for (const nothing of [null, undefined]) expect(readingsAfter(kept, nothing, start + hours(5))).toBe(kept);
  expect(readReadings('', start)).toEqual({ readings: null, trends: null });
});
