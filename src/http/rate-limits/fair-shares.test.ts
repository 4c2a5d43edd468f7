import { expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { openFairShares } from './rate-limiter.ts';

const from = (source: string) => ({ source, networks: [] });
const refused = expect.objectContaining({ code: 'try_again_later' });

test('an origin may have more than its share until there is no room; others then still get theirs', () => {
  let at = minutes(100);
  const shares = openFairShares({ share: 2, capacity: 5, within: minutes(15), now: () => at });
  for (let time = 0; time < 5; time += 1) shares.admit(from('office'));
  expect(() => shares.admit(from('office'))).toThrow(refused);
  for (let time = 0; time < 2; time += 1) shares.admit(from('home'));
  expect(() => shares.admit(from('home'))).toThrow(refused);
  at += minutes(15);
  for (let time = 0; time < 5; time += 1) shares.admit(from('home'));
  expect(() => shares.admit(from('home'))).toThrow(refused);
});
