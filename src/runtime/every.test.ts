import { expect, onTestFinished, test, vi } from 'vitest';
import { every } from './every.ts';

function openLog() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const write = (_: object, message: string) => void lines.push(message);
  return { lines, log: { info: write, error: write } };
}

test('a job runs at intervals, never twice at the same time, and a stop waits for its run', async () => {
  const { log } = openLog();
  const ends: (() => void)[] = [];
  const job = every(1000, { name: 'count', log }, () => new Promise<void>((resolve) => ends.push(resolve)));
  await vi.advanceTimersByTimeAsync(5000);
  expect(ends).toHaveLength(1);
  // Woken twice during a run: one more run follows.
  job.wake();
  job.wake();
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);
  let isStopped = false;
  const stopping = job.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(5000);
  expect([ends.length, isStopped]).toEqual([2, false]);
  ends[1]?.();
  await stopping;
  job.wake();
  await vi.advanceTimersByTimeAsync(5000);
  expect(ends).toHaveLength(2);
});

test('the log has the first failure of a job, and that it works again', async () => {
  const { lines, log } = openLog();
  let fails = true;
  const job = every(1000, { name: 'backup', log, first: 0 }, () =>
    fails ? Promise.reject(new Error('full')) : undefined,
  );
  await vi.advanceTimersByTimeAsync(5000);
  expect(lines).toEqual(['backup failed']);
  fails = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(lines).toEqual(['backup failed', 'backup works again']);
  await job.stop();
});
