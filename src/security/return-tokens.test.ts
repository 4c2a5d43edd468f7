import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { orderedId } from '../store/ordered-id.ts';
import { readReturnToken, returnTokenLength, writeReturnToken } from './return-tokens.ts';

const [key, older] = [randomBytes(32), randomBytes(32)];
const letter = orderedId();
const token = writeReturnToken(key, letter);

it('names the letter that it was made for, by any key in use, in any case', () => {
  expect(token).toHaveLength(returnTokenLength);
  expect(readReturnToken([key], token)).toBe(letter);
  expect(readReturnToken([key, older], writeReturnToken(older, letter).toUpperCase())).toBe(letter);
  for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    expect(readReturnToken([key], writeReturnToken(key, id))).toBe(id);
});

const other = (at: number) => token.slice(0, at) + (token[at] === '7' ? '3' : '7') + token.slice(at + 1);

it.each([
  ['another letter', other(20)],
  ['another proof', other(token.length - 1)],
  ['too short', token.slice(1)],
  ['too long', `${token}0`],
  ['not of its letters', `z${token.slice(1)}`],
  ['a number that is no UUID', `v${token.slice(1)}`],
  ['nothing', ''],
])('a token that was made up names none: %s', (_, made) => {
  expect(readReturnToken([key], made)).toBeUndefined();
});

it('a key that is no longer used reads none', () => {
  expect(readReturnToken([older], token)).toBeUndefined();
});
