import { expect, test } from 'vitest';
import { afterQuietHours } from './evaluate-alarms.ts';

test.each([
  ['before they begin', '22:00', '07:00', '2026-11-21T20:59:59Z', '2026-11-21T20:59:59Z'],
  ['when they begin', '22:00', '07:00', '2026-11-21T21:00:00Z', '2026-11-22T06:00:00Z'],
  ['after midnight', '22:00', '07:00', '2026-11-22T03:17:42Z', '2026-11-22T06:00:00Z'],
  ['when they end', '22:00', '07:00', '2026-11-22T06:00:00Z', '2026-11-22T06:00:00Z'],
  ['at noon, if that is quiet', '11:30', '13:00', '2026-11-22T11:00:00Z', '2026-11-22T12:00:00Z'],
  ['after noon', '11:30', '13:00', '2026-11-22T12:30:00Z', '2026-11-22T12:30:00Z'],
  ['in the night of the change to winter time', '22:00', '07:00', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00Z'],
  ['in the night of the change to summer time', '22:00', '07:00', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
  ['when summer time skips their end', '22:00', '02:30', '2026-03-28T22:00:00Z', '2026-03-29T01:00:00Z'],
  ['after an hour that summer time skips', '02:00', '03:00', '2027-03-28T01:00:00Z', '2027-03-28T01:00:00Z'],
  ['in an hour that occurs twice', '02:00', '03:00', '2027-10-31T01:30:00Z', '2027-10-31T02:00:00Z'],
  ['without any quiet hours', '07:00', '07:00', '2026-11-22T03:00:00Z', '2026-11-22T03:00:00Z'],
])('an email of Berlin %s leaves after the quiet hours', (_when, from, until, at, leaves) => {
  expect(new Date(afterQuietHours(Date.parse(at), { from, until }, 'Europe/Berlin'))).toEqual(new Date(leaves));
});

// Intl knows the last one, and Temporal does not.
test.each([null, 'Not/AZone', 'AST'])('with the time zone %s, quiet hours are in UTC', (zone) => {
  const quiet = { from: '22:00', until: '07:00' };
  expect(afterQuietHours(Date.UTC(2026, 10, 21, 22), quiet, zone)).toBe(Date.UTC(2026, 10, 22, 7));
});
