import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { base32, codeOf, fromBase32, keyUri, matchedStep, stepAt } from './factors.ts';

/** The secret of RFC 6238, appendix B, for SHA-1. */
const secret = Buffer.from('12345678901234567890');

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at %i seconds, the code is that of RFC 6238', (time, code) => {
  expect(codeOf(secret, stepAt(time * 1000))).toBe(code);
});

test('accepts the code of the step before, of this step and of the next', () => {
  const now = 1_700_000_000_000;
  const current = stepAt(now);
  for (const step of [current - 1, current, current + 1])
    expect(matchedStep(secret, codeOf(secret, step), now)).toBe(step);
  for (const step of [current - 2, current + 2]) expect(matchedStep(secret, codeOf(secret, step), now)).toBe(undefined);
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('writes %j in base32 as RFC 4648 does', (text, written) => expect(base32(Buffer.from(text))).toBe(written));

test('reads base32 in any case, with spaces and padding, and nothing else', () => {
  const bytes = randomBytes(20);
  expect(fromBase32(base32(bytes))).toEqual(bytes);
  expect(fromBase32('mzxw 6ytb-oi======')).toEqual(Buffer.from('foobar'));
  for (const wrong of ['', 'MZXW1', 'ÄÖ']) expect(fromBase32(wrong)).toBe(undefined);
});

test('writes the address of a key so that no name can add a parameter', () => {
  const uri = keyUri({ secret: 'MZXW6', issuer: 'A: B&secret=X', account: 'anna+x@example.com' });
  const { pathname, searchParams } = new URL(uri);
  expect(decodeURIComponent(pathname)).toBe('/A  B&secret=X:anna+x@example.com');
  expect([...searchParams]).toEqual([
    ['secret', 'MZXW6'],
    ['issuer', 'A: B&secret=X'],
    ['algorithm', 'SHA1'],
    ['digits', '6'],
    ['period', '30'],
  ]);
});
