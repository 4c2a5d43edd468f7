import { describe, expect, test } from 'vitest';
import type { NewPause } from '../contract/pauses.ts';
import { afterQuietHours, nextOccurrences, pausesAt } from './pauses.ts';

const everywhere = { tags: [], computers: [] };
const offHours = (zone: string, from: string | null, until: string | null, days_off: number[] = []): NewPause => ({
  kind: 'off_hours',
  ...{ ...everywhere, time_zone: zone, from, until, days_off },
});
const maintenance = (zone: string, from: string, until: string): NewPause => ({
  kind: 'maintenance',
  ...{ ...everywhere, time_zone: zone, from, until },
});

describe('the next three occurrences', () => {
  const berlin = 'Europe/Berlin';
  test.each<[string, NewPause, string, string[]]>([
    [
      'of nights, also while one is under way, follow the clocks to winter time',
      offHours(berlin, '19:00', '07:00'),
      '2026-10-23T22:00Z',
      ['10-23T17:00 10-24T05:00', '10-24T17:00 10-25T06:00', '10-25T18:00 10-26T06:00'],
    ],
    [
      'of an hour that occurs twice cover both',
      offHours(berlin, '02:15', '02:45'),
      '2026-10-24T12:00Z',
      ['10-25T00:15 10-25T01:45', '10-26T01:15 10-26T01:45', '10-27T01:15 10-27T01:45'],
    ],
    [
      'of an hour that does not occur leave that day out',
      offHours(berlin, '02:15', '02:45'),
      '2026-03-28T12:00Z',
      ['03-30T00:15 03-30T00:45', '03-31T00:15 03-31T00:45', '04-01T00:15 04-01T00:45'],
    ],
    [
      'end when the clocks skip their end',
      offHours(berlin, '22:00', '02:30'),
      '2026-03-28T22:00Z',
      ['03-28T21:00 03-29T01:00', '03-29T20:00 03-30T00:30', '03-30T20:00 03-31T00:30'],
    ],
    [
      'of nights and weekends are in one piece from Friday to Monday',
      offHours(berlin, '19:00', '07:00', [6, 7]),
      '2026-11-27T12:00Z',
      ['11-27T18:00 11-30T06:00', '11-30T18:00 12-01T06:00', '12-01T18:00 12-02T06:00'],
    ],
    [
      'of Sundays, west of UTC',
      offHours('America/Los_Angeles', null, null, [7]),
      '2026-11-29T07:59Z',
      ['11-29T08:00 11-30T08:00', '12-06T08:00 12-07T08:00', '12-13T08:00 12-14T08:00'],
    ],
    [
      'of a zone with half an hour, whose clocks change by half an hour',
      offHours('Australia/Lord_Howe', '01:00', '03:00'),
      '2026-04-04T00:00Z',
      ['04-04T14:00 04-04T16:30', '04-05T14:30 04-05T16:30', '04-06T14:30 04-06T16:30'],
    ],
    [
      'of maintenance that the change to summer time shortens are one',
      maintenance(berlin, '2026-03-29T01:00', '2026-03-29T04:00'),
      '2026-03-28T12:00Z',
      ['03-29T00:00 03-29T02:00'],
    ],
    [
      'of maintenance in an hour that the clocks skip are as long after it',
      maintenance(berlin, '2027-03-28T02:00', '2027-03-28T03:00'),
      '2027-03-27T12:00Z',
      ['03-28T01:00 03-28T02:00'],
    ],
    [
      'of maintenance in an hour that occurs twice cover both',
      maintenance(berlin, '2027-10-31T02:00', '2027-10-31T03:00'),
      '2027-10-30T12:00Z',
      ['10-31T00:00 10-31T02:00'],
    ],
    [
      'of maintenance that is over are none',
      maintenance(berlin, '2026-03-29T01:00', '2026-03-29T04:00'),
      '2026-03-29T02:00Z',
      [],
    ],
  ])('%s', (_what, pause, at, expected) => {
    const shown = (time: number) => new Date(time).toISOString().slice(5, 16);
    const found = nextOccurrences(pause, Date.parse(at)).map(({ from, until }) => `${shown(from)} ${shown(until)}`);
    expect(found).toEqual(expected);
  });
});

test('pauses hold for all devices, or those with a tag, or single ones', () => {
  const at = Date.parse('2026-11-27T20:00Z');
  const pauses = [
    { ...offHours('UTC', '19:00', '07:00'), id: 'a', tags: ['Berlin'], computers: ['x'] },
    { ...maintenance('UTC', '2026-11-27T18:00', '2026-11-27T21:00'), id: 'b' },
    { ...offHours('UTC', '12:00', '13:00'), id: 'c', computers: ['y'] },
  ];
  const of = pausesAt(pauses, at);
  const [morning, evening] = [Date.parse('2026-11-28T07:00Z'), Date.parse('2026-11-27T21:00Z')];
  const before = { a: Date.parse('2026-11-27T07:00Z'), c: Date.parse('2026-11-27T13:00Z') };
  expect(of({ id: 'x', tags: [] })).toEqual({ maintenanceUntil: evening, offUntil: morning, endedAt: before.a });
  expect(of({ id: 'z', tags: ['Berlin'] }).offUntil).toBe(morning);
  expect(of({ id: 'y', tags: ['Bern'] })).toEqual({
    maintenanceUntil: evening,
    offUntil: undefined,
    endedAt: before.c,
  });
});

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
