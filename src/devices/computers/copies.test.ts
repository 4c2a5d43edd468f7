import { expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { isCopied, runsAfter } from './copies.ts';

const start = Date.UTC(2026, 10, 21, 12);

test.each([2, 8, 9, 60, 500])('%i copies that report every minute are noticed in four minutes', (copies) => {
  // The image was made of a computer that had restarted before.
  let kept = ['a', 'b'].reduce((runs, instance) => runsAfter(runs, instance, start - minutes(30)), '');
  let now = start;
  for (let round = 0; round < 4; round += 1)
    for (let copy = 0; copy < copies; copy += 1) {
      now += minutes(1) / copies;
      kept = runsAfter(kept, `copy ${copy}`, now);
    }
  expect(isCopied(kept, now)).toBe(true);
  expect(kept.length).toBeLessThan(300);
});

test('a computer that restarts again and again is no copy', () => {
  let kept = '';
  for (let restart = 0; restart < 100; restart += 1) kept = runsAfter(kept, `${restart}`, start + minutes(restart));
  expect(isCopied(kept, start + minutes(100))).toBe(false);
});
