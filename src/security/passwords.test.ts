import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { isObviousPassword } from '../contract/sign-in/passwords.ts';
import { commonPasswordCount, isCommonPassword, openPasswords } from './passwords.ts';

describe('a password hash', () => {
  const passwords = openPasswords(undefined);

  test('verifies only its own password, to the last byte', async () => {
    const long = 'x'.repeat(128);
    const hash = await passwords.hash(long);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify(hash, long)).toBe(true);
    expect(await passwords.verify(hash, 'x'.repeat(127))).toBe(false);
    expect(await passwords.verify(hash, `${long} `)).toBe(false);
    expect(passwords.isOutdated(hash)).toBe(false);
    expect(passwords.isOutdated(hash.replace('m=19456', 'm=4096'))).toBe(true);
  });

  test('is never right for an account that does not exist', async () =>
    expect(await passwords.verify(undefined, '')).toBe(false));

  test('is also computed without an account, in its turn after earlier requests', async () => {
    const hash = await passwords.hash('secret words');
    const order: string[] = [];
    const ask = async (known: string | undefined) => {
      await passwords.verify(known, 'a guess');
      order.push(known === undefined ? 'unknown' : 'known');
    };
    const before = Array.from({ length: 4 * availableParallelism() }, () => hash);
    await Promise.all([...before, undefined].map(ask));
    expect(order.indexOf('unknown')).toBeGreaterThan(2 * availableParallelism());
  });

  test('is worthless without its pepper', async () => {
    const peppered = openPasswords('a pepper of the operator');
    const hash = await peppered.hash('secret words');
    expect(await peppered.verify(hash, 'secret words')).toBe(true);
    expect(await passwords.verify(hash, 'secret words')).toBe(false);
  });
});

describe('a guessable password', () => {
  test('the list has at least 100 000 common ones', () =>
    expect(commonPasswordCount()).toBeGreaterThanOrEqual(100_000));

  const owner = { email: 'anna.berg@example.com', name: 'Anna Berg', product: 'Vestibule' };
  test.each([
    ['123456', true],
    ['Password', true],
    ['qwertyuiop', true],
    ['１２３４５６', true],
    ['Ｐａｓｓｗｏｒｄ', true],
    ['aaaaaaaaaa', true],
    ['z'.repeat(20), true],
    ['z'.repeat(72), false],
    ['é'.repeat(128), false],
    ['anna.berg@example.com', true],
    ['AnnaBerg', true],
    ['annaberg', true],
    ['vestibule', true],
    ['correct horse battery', false],
    ['rain under tin', false],
    ['Anna Berg kauft Obst', false],
    ['\n123456', false],
  ])('%j: %s', (password, guessable) =>
    expect(isObviousPassword(password, owner) || isCommonPassword(password)).toBe(guessable),
  );
});
