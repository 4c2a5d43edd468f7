import { expect, it } from 'vitest';
import { fundsOf } from './provider-status.ts';

it.each([
  ['0 RUB', 'empty'],
  ['0.00 USD', 'empty'],
  ['-3.5 RUB', 'empty'],
  ['84.6 RUB', 'low'],
  ['4.01 USD', 'low'],
  ['9.99', 'low'],
  ['99.46', undefined],
  ['4122.56 RUB', undefined],
  ['400.00 USD', undefined],
  ['unlimited', undefined],
])('a balance of %s is %s', (balance, funds) => {
  expect(fundsOf(balance)).toBe(funds);
});
