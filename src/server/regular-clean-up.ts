import type { FastifyBaseLogger } from 'fastify';
import { days, hours, minutes } from '../contract/durations.ts';
import { cleanUp } from '../store/clean-up.ts';
import { databaseFile, emptyLog } from '../store/sqlite/files.ts';
import type { Service } from './service.ts';

export interface RegularCleanUp {
  /** When this process last deleted all outdated rows, in milliseconds since the epoch; at first, when it started. */
  finishedAt(): number;
  stop(): void;
}

interface CleanUpOptions extends Pick<Service, 'store' | 'now' | 'config'> {
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** Deletes outdated rows each hour, and soon after the start, so that a node that restarts often still cleans up. */
export function cleanUpRegularly({ store, now, config, log }: CleanUpOptions): RegularCleanUp {
  let isCleaning = false;
  let finishedAt = now();
  const clean = async () => {
    // After a long pause or a flood, one clean-up may take longer than the hour until the next.
    if (isCleaning) return;
    isCleaning = true;
    try {
      const activityKept = days(config.ACTIVITY_RETENTION_DAYS);
      await cleanUp(store, { now: now(), activityKept, recordsKept: days(config.RECORDS_RETENTION_DAYS) });
      if (!config.DATABASE_URL) emptyLog(databaseFile(config.DATA_DIR));
      finishedAt = now();
    } catch (error) {
      log.warn({ err: error }, 'clean-up failed');
    } finally {
      isCleaning = false;
    }
  };
  const timers = [setTimeout(clean, minutes(1)).unref(), setInterval(clean, hours(1)).unref()];
  return {
    finishedAt: () => finishedAt,
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
