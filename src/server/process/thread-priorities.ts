import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';

/** Niceness added to hash threads (setpriority(2)): on a busy processor they get a tenth of it, plus all idle time. */
const behind = 10;
const last = 19;
const tasks = '/proc/self/task';

/**
 * Gives the threads that compute hashes a lower priority than the main thread, which then never waits for them even if
 * they use every processor. Only Linux has priorities per thread; elsewhere, and where it is forbidden, all stay equal.
 */
export async function lowerHashPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  try {
    const niceness = Math.min(getPriority() + behind, last);
    // These threads start with their first task: at the latest this readdir.
    for (const id of await readdir(tasks)) {
      const name = (await readFile(join(tasks, id, 'comm'), 'utf8')).trim();
      if (name === 'libuv-worker') setPriority(Number(id), niceness);
    }
  } catch {
    // A sandbox may hide threads or forbid changing priorities.
  }
}
