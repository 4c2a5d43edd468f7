import { sql } from 'kysely';
import { seconds } from '../contract/durations.ts';
import { engineOf, type Store } from './database.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  stop(): void;
}

const readEvery = seconds(10);
const readings = 3;

/**
 * Opens the clock that decides: the database's, wherever nodes may share one. It runs on by this machine's time since
 * its start between two readings, so that no node's wall clock matters (docs/decisions/0011-the-databases-clock.md).
 */
export async function openClock(store: Store, wallClock: () => number): Promise<Clock> {
  // mutation: own-clock
  if (engineOf(store) === 'sqlite') return { now: wallClock, stop: () => undefined };
  let newest = await readClock(store);
  const timer = setInterval(() => {
    readClock(store).then(
      (reading) => {
        newest = reading;
      },
      // The last reading goes on; whoever needs the database notices by themselves.
      () => undefined,
    );
  }, readEvery).unref();
  return {
    now: () => Math.round(newest.at + performance.now() - newest.since),
    stop: () => clearInterval(timer),
  };
}

interface Reading {
  /** The database's time, in milliseconds since the epoch, … */
  readonly at: number;
  /** … and ours at the same moment, in milliseconds since this process began. */
  readonly since: number;
}

/** The quickest of a few readings: an answer was written halfway between question and arrival, give or take half of that. */
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
