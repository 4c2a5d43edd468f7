import { expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { openViolationLog } from './csp-reports.ts';

test('a flood of reports writes ten lines a minute, and the next line says how many were left out', () => {
  let now = minutes(1);
  const log = openViolationLog(() => now);
  const flood = Array.from({ length: 300 }, () => log.admit());
  expect(flood.filter(({ isLogged }) => isLogged)).toHaveLength(10);
  now += minutes(1);
  expect(log.admit()).toEqual({ isLogged: true, leftOut: 290 });
  expect(log.admit()).toEqual({ isLogged: true, leftOut: 0 });
});
