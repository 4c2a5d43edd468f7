import { expect, test } from 'vitest';
import { seconds } from '../../contract/durations.ts';
import { openGracePeriod } from './grace-period.ts';

const ended = Promise.resolve();

test('sends in progress have a second from the announcement, later ones from their beginning', () => {
  let now = 0;
  const grace = openGracePeriod(() => now);
  const hung = grace.track(ended);
  now = seconds(10);
  expect(grace.remaining([])).toBe(0);
  // Without an announcement, the second begins when the service stops.
  expect(grace.remaining([hung])).toBe(seconds(1));
  grace.announce();
  now = seconds(10.4);
  grace.announce();
  expect(grace.remaining([hung])).toBeCloseTo(seconds(0.6));
  now = seconds(13);
  expect(grace.remaining([hung])).toBe(0);
  const fresh = grace.track(ended);
  now = seconds(13.3);
  expect(grace.remaining([hung, fresh])).toBeCloseTo(seconds(0.7));
});
