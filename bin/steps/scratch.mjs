import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's folder in memory. */
const memory = '/dev/shm';
/** Bytes. A whole run needs less than 300 MB at once. */
const room = 2 * 1024 ** 3;

/**
 * A folder for the temporary files of one run, which goes with it. Tests make and drop thousands of databases, profiles
 * and blocks of shared memory: where the machine has room for them in memory, they do not wait for its disk, unless
 * `TMPDIR` says otherwise.
 */
export function openScratch() {
  const folder = mkdtempSync(join(process.env.TMPDIR || !hasRoom() ? tmpdir() : memory, 'vestibule-run-'));
  // PostgreSQL, which refuses to run as root, has its data below as somebody else.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memory);
    // Programs are run from there, too.
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize >= room;
  } catch {
    return false;
  }
}
