import { type FairScheduler, openFairScheduler } from '../access/fair-scheduler.ts';

export interface FloodedScheduler extends FairScheduler {
  /** From now on, one request begins at a time, and strangers who never had a turn are always before others. */
  flood(): void;
  end(): void;
}

/** Longer than the scheduler's own turn, so that each counts as too long. */
const workPerTurn = 100;
/** More than begin before the turns are short. */
const strangers = 300;

/** The scheduler of a service that attackers flood whenever a test wants it. */
export function openFloodedScheduler(): FloodedScheduler {
  let isFlooded = false;
  let count = 0;
  let used = 0;
  const sendFromStranger = () => {
    count += 1;
    const source = `198.${18 + (count >>> 16)}.${(count >>> 8) & 255}.${count & 255}`;
    scheduler.begin({ source, networks: [] })?.catch(() => undefined);
  };
  const scheduler = openFairScheduler({
    used: () => {
      used += isFlooded ? workPerTurn : 0;
      return used;
    },
    nextTurn: (begin) => {
      setTimeout(() => {
        for (let sent = 0; isFlooded && sent < 2; sent += 1) sendFromStranger();
        begin();
      }, 1);
    },
  });
  return {
    ...scheduler,
    flood() {
      isFlooded = true;
      for (let sent = 0; sent < strangers; sent += 1) sendFromStranger();
    },
    end() {
      isFlooded = false;
    },
  };
}
