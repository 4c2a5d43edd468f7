import { expect, test } from 'vitest';
import { readViolation } from './csp-violation.ts';

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
    'an object where a text belongs',
    older({ 'effective-directive': { toString: 1 }, 'blocked-uri': { toString: null } }),
    { directive: '', blocked: '' },
  ],
  [
    'a text that is no directive',
    older({ 'effective-directive': 's3cret=1', 'blocked-uri': 's3 cret' }),
    { directive: '', blocked: '' },
  ],
  ['another object', '{"hash":"s3cret"}', undefined],
  ['nothing of the kind', 's3cret', undefined],
  ['null', 'null', undefined],
])('of %s only the directive and an origin are read', (_, body, read) => {
  expect(readViolation(body)).toEqual(read);
});
