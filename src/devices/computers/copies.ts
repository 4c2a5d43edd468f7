import { hours, minutes } from '../../contract/units.ts';
import { sha256 } from '../../security/macs.ts';

/** The runs of its agent that a computer named. */
interface Runs {
  /** Hashes, the newest first. */
  readonly recent: readonly string[];
  /** When one of them came back after another, at most the last two times (ms since the epoch). */
  readonly returned: readonly number[];
  /** One of them, and since when it is watched: of very many copies, none is still recent when it comes back. */
  readonly watched?: { readonly run: string; readonly at: number };
}

const maxRecent = 8;
/** Copies report every minute; a run that has ended is watched in vain. */
const watchesFor = minutes(10);
/**
 * An agent chooses a new name at each start, so one that comes back was never gone: another agent has the same token. Once
 * may be a virtual machine that was reset to a snapshot; twice in this time is a copy.
 */
const within = hours(1);

const parse = (kept: string): Runs => (kept === '' ? { recent: [], returned: [] } : JSON.parse(kept));

/** What is kept after a heartbeat of a run at `now`. */
export function runsAfter(kept: string, instance: string | null | undefined, now: number): string {
  if (instance === null || instance === undefined) return kept;
  const run = sha256(instance).slice(0, 10);
  const { recent, returned, watched } = parse(kept);
  if (recent[0] === run) return kept;
  const isBack = recent.includes(run) || watched?.run === run;
  const next: Runs = {
    recent: [run, ...recent.filter((other) => other !== run)].slice(0, maxRecent),
    returned: isBack ? [...returned, now].slice(-2) : returned,
    watched: watched && Math.abs(now - watched.at) < watchesFor ? watched : { run, at: now },
  };
  return JSON.stringify(next);
}

/** Whether several agents report as this computer, as after copying a disk. */
export function isCopied(kept: string, now: number): boolean {
  const [first, last] = parse(kept).returned;
  return first !== undefined && last !== undefined && last - first < within && now - last < within;
}
