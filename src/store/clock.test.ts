import { expect, onTestFinished, test, vi } from 'vitest';
import { minutes, seconds } from '../contract/units.ts';
import { migratedDatabase, openTestStore } from '../testing/databases/databases.ts';
import { openClock } from './clock.ts';

test('a jump of the clock is logged once, and ordinary time is not', async () => {
  const store = openTestStore(await migratedDatabase('sqlite'));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const jumps: object[] = [];
  let ahead = 0;
  const clock = await openClock(store, {
    wallClock: () => Date.now() + ahead,
    log: { info: () => undefined, error: () => undefined, warn: (details, says) => jumps.push({ ...details, says }) },
  });
  await vi.advanceTimersByTimeAsync(minutes(5));
  expect(jumps).toEqual([]);
  ahead = -minutes(10);
  await vi.advanceTimersByTimeAsync(minutes(5));
  ahead += seconds(1);
  await vi.advanceTimersByTimeAsync(minutes(5));
  expect(jumps).toEqual([{ by: -minutes(10), says: 'the clock jumped' }]);
  clock.stop();
});
