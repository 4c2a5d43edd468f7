import { expect, test } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { openDraining } from './connections.ts';

test.each<[string, readonly number[], boolean]>([
  ['never checked', [], false],
  ['checked once', [0], false],
  ['checked every second', [seconds(57), seconds(58), seconds(59)], true],
  ['checked every 30 seconds', [0, seconds(30), seconds(60)], true],
  ['no longer checked', [0, seconds(1), minutes(3)], false],
  ['checked once after a pause', [0, minutes(3)], false],
])('a node that is %s', (_, checks, isWatched) => {
  let now = 0;
  const draining = openDraining(() => now);
  for (const at of checks) {
    now = at;
    if (at !== minutes(3)) draining.noticeCheck();
  }
  expect(draining.isWatched()).toBe(isWatched);
});
