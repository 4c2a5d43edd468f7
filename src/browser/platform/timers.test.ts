import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { days } from '../../contract/units.ts';
import { timerLimit } from '../constants.ts';
import { after } from './timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('splits a delay that is longer than the timer limit', () => {
  const done = vi.fn();
  after(days(365), done);
  vi.advanceTimersByTime(timerLimit);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(days(365) - timerLimit - 1);
  expect(done).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(done).toHaveBeenCalledOnce();
});

it('cancels a delay even after its first step', () => {
  const done = vi.fn();
  const cancel = after(days(365), done);
  vi.advanceTimersByTime(timerLimit + 1);
  cancel();
  vi.advanceTimersByTime(days(365));
  expect(done).not.toHaveBeenCalled();
});
