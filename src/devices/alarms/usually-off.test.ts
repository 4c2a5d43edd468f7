import { expect, test } from 'vitest';
import { hours, minutes } from '../../contract/units.ts';
import { localTime } from '../../runtime/local-time.ts';
import { historyWithHeartbeat, withHeartbeat } from '../store/heartbeat-history.ts';
import { weekdayOf } from '../store/pauses.ts';
import { findUsuallyOff } from './usually-off.ts';

const now = Date.parse('2026-11-27T15:00Z');

interface Habit {
  readonly zone: string;
  readonly isOn: (local: { hour: number; weekday: number; day: number }) => boolean;
  readonly days?: number;
}

/** A device that sends a heartbeat in each quarter of an hour in which it is on. */
function deviceWith(id: string, { zone, isOn, days = 30 }: Habit) {
  let device = { id, signs: '', history: '0', last_seen_at: now - hours(24 * days) };
  for (let at = device.last_seen_at; at <= now; at += minutes(15)) {
    const local = localTime(at, zone);
    const day = Math.floor(local / hours(24));
    if (!isOn({ hour: (local % hours(24)) / hours(1), weekday: weekdayOf(day), day })) continue;
    device = { id, history: historyWithHeartbeat(device, at), signs: withHeartbeat(device, at), last_seen_at: at };
  }
  return device;
}

const berlin = 'Europe/Berlin';
const office: Habit = { zone: berlin, isOn: ({ hour, weekday }) => hour >= 7 && hour < 19 && weekday < 6 };

test.each<[string, Habit, string | undefined]>([
  ['at night and on weekends', office, '19:00 07:00 6,7'],
  [
    'at night, in another zone',
    { zone: 'Asia/Kathmandu', isOn: ({ hour }) => hour >= 8.5 && hour < 18 },
    '18:00 09:00 ',
  ],
  ['by day', { zone: berlin, isOn: ({ hour }) => hour < 8 || hour >= 17 }, '08:00 17:00 '],
  [
    'at night, with late evenings',
    { zone: berlin, isOn: ({ hour, day }) => hour >= 7 && hour < (day % 5 === 0 ? 21 : 19) },
    '19:00 07:00 ',
  ],
  ['never', { zone: berlin, isOn: () => true }, undefined],
  ['always', { zone: berlin, isOn: () => false }, undefined],
  ['at random', { zone: berlin, isOn: ({ hour, day }) => Math.floor(hour + day * 7) % 24 < 12 }, undefined],
  ['at night, but only known for a week', { ...office, days: 7 }, undefined],
])('a device that is off %s', (_when, habit, expected) => {
  const [found] = findUsuallyOff([deviceWith('a', habit)], { now, zone: habit.zone });
  expect(found && `${found.from} ${found.until} ${found.days_off.join()}`).toBe(expected);
});

test('devices with the same habit are one offer, the largest first', () => {
  const late: Habit = { zone: berlin, isOn: ({ hour }) => hour >= 10 && hour < 22 };
  const devices = [deviceWith('a', late), deviceWith('b', office), deviceWith('c', office)];
  const found = findUsuallyOff(devices, { now, zone: berlin });
  expect(found.map(({ computers }) => computers)).toEqual([['b', 'c'], ['a']]);
});
