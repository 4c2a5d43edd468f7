import { expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { openViolationLog, readViolation } from './csp-reports.ts';

const older = (said: object) => JSON.stringify({ 'csp-report': said });

test.each<[string, string, unknown]>([
  [
    'the older form',
    older({
      'effective-directive': 'script-src-elem',
      'blocked-uri': 'https://evil.example/x?hash=s3cret',
      'document-uri': 'https://door.example/reset-password/s3cret?hash=s3cret',
    }),
    { directive: 'script-src-elem', blocked: 'https://evil.example' },
  ],
  [
    'the oldest form',
    older({ 'violated-directive': "img-src 'self' data:", 'blocked-uri': 'inline' }),
    { directive: 'img-src', blocked: 'inline' },
  ],
  [
    'the newer form',
    JSON.stringify([{ body: { effectiveDirective: 'style-src', blockedURL: 'data:text/css,s3cret' } }]),
    { directive: 'style-src', blocked: 'data:' },
  ],
  [
    'a report with an object instead of a string',
    older({ 'effective-directive': { toString: 1 }, 'blocked-uri': { toString: null } }),
    { directive: '', blocked: '' },
  ],
  [
    'a report without a valid directive',
    older({ 'effective-directive': 's3cret=1', 'blocked-uri': 's3 cret' }),
    { directive: '', blocked: '' },
  ],
  ['another object', '{"hash":"s3cret"}', undefined],
  ['plain text', 's3cret', undefined],
  ['null', 'null', undefined],
])('%s yields at most a directive and an origin', (_, body, read) => expect(readViolation(body)).toEqual(read));

test('a flood of reports writes ten lines a minute, and the next line says how many were left out', () => {
  let now = minutes(1);
  const log = openViolationLog(() => now);
  const flood = Array.from({ length: 300 }, () => log.admit());
  expect(flood.filter(({ isLogged }) => isLogged)).toHaveLength(10);
  now += minutes(1);
  expect(log.admit()).toEqual({ isLogged: true, leftOut: 290 });
  expect(log.admit()).toEqual({ isLogged: true, leftOut: 0 });
});
