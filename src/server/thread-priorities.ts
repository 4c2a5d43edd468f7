import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';

/** How far hashes stand back (setpriority(2)): on a full processor they get a tenth of it, and all that others leave. */
const behind = 10;
const last = 19;
const tasks = '/proc/self/task';

/**
 * Puts the threads that compute hashes behind the one that answers: it then waits for none of them where they fill every
 * processor. Linux alone has a priority for each thread; elsewhere, and where that is forbidden, all are equal.
 */
export async function lowerHashPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  try {
    const niceness = Math.min(getPriority() + behind, last);
    // These threads begin with the first work for them, which this is at the latest.
    for (const id of await readdir(tasks)) {
      const name = (await readFile(join(tasks, id, 'comm'), 'utf8')).trim();
      if (name === 'libuv-worker') setPriority(Number(id), niceness);
    }
  } catch {
    // A sandbox may hide other threads, or keep priorities as they are.
  }
}
