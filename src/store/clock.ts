import { sql } from 'kysely';
import { seconds } from '../contract/units.ts';
import { every, type JobLog } from '../runtime/every.ts';
import { engineOf, type Store } from './database.ts';

export interface Clock {
  now(): number;
  stop(): void;
}

const readEvery = seconds(10);
const readings = 3;

/**
 * Opens the clock for all decisions: the database's, if nodes may share one. Between two readings it advances with this
 * machine's monotonic clock, so that no node's wall clock matters (docs/decisions/database.md, 0011).
 */
export async function openClock(
  store: Store,
  { wallClock, log }: { wallClock: () => number; log?: ClockLog },
): Promise<Clock> {
  if (engineOf(store) === 'sqlite') {
    let last = { at: wallClock(), since: performance.now() };
    const watching = every(readEvery, { name: 'reading of the clock', log }, () => {
      const next = { at: wallClock(), since: performance.now() };
      reportJump(last, next, log);
      last = next;
    });
    return { now: wallClock, stop: () => void watching.stop() };
  }
  let newest = await readClock(store);
  // If it fails, the last reading stays in use; requests that need the database report the error.
  const reading = every(readEvery, { name: 'reading of the database’s clock', log }, async () => {
    const next = await readClock(store);
    reportJump(newest, next, log);
    newest = next;
  });
  return {
    now: () => Math.round(newest.at + performance.now() - newest.since),
    stop: () => void reading.stop(),
  };
}

/** The time of decisions, read once: a command needs no clock that advances. */
export const timeOf = async (store: Store): Promise<number> =>
  engineOf(store) === 'sqlite' ? Date.now() : Math.round((await readClock(store)).at);

interface ClockLog extends JobLog {
  warn(details: object, message: string): void;
}

/** Milliseconds: NTP corrects smaller differences without a jump. */
const jump = seconds(2);

/** Sessions, links and lockouts end earlier or later after a jump. */
function reportJump(last: Reading, next: Reading, log: ClockLog | undefined): void {
  const by = Math.round(next.at - last.at - (next.since - last.since));
  if (Math.abs(by) >= jump) log?.warn({ by }, 'the clock jumped');
}

interface Reading {
  /** The database's time, in milliseconds since the epoch, … */
  readonly at: number;
  /** … and ours at the same moment, in milliseconds since this process started. */
  readonly since: number;
}

/** The quickest of a few readings; its time is assumed to be from the middle of the round trip. */
async function readClock(store: Store): Promise<Reading> {
  let best: (Reading & { took: number }) | undefined;
  for (let time = 0; time < readings; time += 1) {
    const asked = performance.now();
    const { rows } = await sql<{ at: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as at`.execute(store);
    const took = performance.now() - asked;
    if (best === undefined || took < best.took) best = { at: rows[0]?.at ?? 0, since: asked + took / 2, took };
  }
  return best as Reading;
}
