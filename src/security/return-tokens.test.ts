import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { orderedId } from '../store/database.ts';
import { readReturnToken, returnTokenLength, writeReturnToken } from './return-tokens.ts';

const [key, older] = [randomBytes(32), randomBytes(32)];
const email = orderedId();
const token = writeReturnToken(key, email);

it('identifies its email, under any key in use, in upper and lower case', () => {
  expect(token).toHaveLength(returnTokenLength);
  expect(readReturnToken([key], token)).toBe(email);
  expect(readReturnToken([key, older], writeReturnToken(older, email).toUpperCase())).toBe(email);
  for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    expect(readReturnToken([key], writeReturnToken(key, id))).toBe(id);
});

const other = (at: number) => token.slice(0, at) + (token[at] === '7' ? '3' : '7') + token.slice(at + 1);

it.each([
  ['another email', other(20)],
  ['another proof', other(token.length - 1)],
  ['too short', token.slice(1)],
  ['too long', `${token}0`],
  ['a character outside its alphabet', `z${token.slice(1)}`],
  ['a number too large for a UUID', `v${token.slice(1)}`],
  ['nothing', ''],
])('a forged token identifies no email: %s', (_, made) => {
  expect(readReturnToken([key], made)).toBeUndefined();
});

it('a token of a retired key does not identify an email', () => {
  expect(readReturnToken([older], token)).toBeUndefined();
});
