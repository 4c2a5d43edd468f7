import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hours, minutes } from '../contract/units.ts';
import { migratedDatabase, openTestStore } from '../testing/databases/databases.ts';
import { testClock } from '../testing/outbox.ts';
import { startCleanUp } from './regular-jobs.ts';
import { readConfig } from './settings/config.ts';

test('a clean-up counts only once it has deleted all outdated rows', async () => {
  const database = await migratedDatabase('sqlite');
  const [store, clock, errors] = [openTestStore(database), testClock(), [] as string[]];
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = { error: (_: object, message: string) => void errors.push(message) } as never;
  const config = readConfig({ DATA_DIR: database.dataDir });
  const { finishedAt, stop } = startCleanUp({ store, now: clock.now, config, log, parts: [] });
  onTestFinished(stop);
  expect(finishedAt()).toBe(clock.now());

  clock.pass(minutes(1));
  vi.advanceTimersByTime(minutes(1));
  await expect.poll(finishedAt).toBe(clock.now());
  await sql`drop table logout_notices`.execute(store);
  clock.pass(hours(1));
  vi.advanceTimersByTime(hours(1));
  await expect.poll(() => errors).toEqual(['clean-up failed']);
  expect(finishedAt()).toBe(clock.now() - hours(1));
});
