import { expect, it } from 'vitest';
import { minutes, seconds } from '../contract/durations.ts';
import { pauseAfter } from './backoff.ts';

it.each([
  { attempts: 1, pause: seconds(2) },
  { attempts: 2, pause: seconds(10) },
  { attempts: 3, pause: seconds(30) },
  { attempts: 4, pause: minutes(2) },
  { attempts: 5, pause: minutes(5) },
  { attempts: 6, pause: minutes(5) },
  { attempts: 99, pause: minutes(5) },
])('after $attempts attempts it waits $pause ms, a fifth more or less', ({ attempts, pause }) => {
  expect(pauseAfter(attempts, 0.5)).toBe(pause);
  expect(pauseAfter(attempts, 0)).toBe(pause * 0.8);
  expect(pauseAfter(attempts, 1)).toBe(pause * 1.2);
});
