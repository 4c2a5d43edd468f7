import { minutes } from '../../contract/durations.ts';

const linesAMinute = 10;

/** Limits the lines that violation reports write: anyone can send any number of them. */
export interface ViolationLog {
  /** Whether a report may be logged, and how many were left out since the last one that was. */
  admit(): { readonly isLogged: boolean; readonly leftOut: number };
}

/** `now` in milliseconds. */
export function openViolationLog(now: () => number): ViolationLog {
  let minute = 0;
  let lines = 0;
  let leftOut = 0;
  return {
    admit() {
      const current = Math.floor(now() / minutes(1));
      if (current !== minute) [minute, lines] = [current, 0];
      lines += 1;
      if (lines > linesAMinute) {
        leftOut += 1;
        return { isLogged: false, leftOut };
      }
      const before = leftOut;
      leftOut = 0;
      return { isLogged: true, leftOut: before };
    },
  };
}
