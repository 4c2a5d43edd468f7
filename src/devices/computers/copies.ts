import { hours } from '../../contract/units.ts';
import { sha256 } from '../../security/macs.ts';

/** The runs of its agent that a computer named. */
interface Runs {
  /** Hashes, the newest first. */
  readonly recent: readonly string[];
  /** When one of them came back after another, at most the last two times (ms since the epoch). */
  readonly returned: readonly number[];
}

/** So many copies that alternate are certainly noticed. */
const maxRecent = 8;
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
  const { recent, returned } = parse(kept);
  if (recent[0] === run) return kept;
  const next: Runs = {
    recent: [run, ...recent.filter((other) => other !== run)].slice(0, maxRecent),
    returned: recent.includes(run) ? [...returned, now].slice(-2) : returned,
  };
  return JSON.stringify(next);
}

/** Whether several agents report as this computer, as after copying a disk. */
export function isCopied(kept: string, now: number): boolean {
  const [first, last] = parse(kept).returned;
  return first !== undefined && last !== undefined && last - first < within && now - last < within;
}
