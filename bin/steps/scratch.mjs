import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's in-memory file system. */
const memory = '/dev/shm';
/** In bytes. A full run needs less than 300 MB at a time. */
const room = 2 * 1024 ** 3;

/**
 * Creates a folder for the temporary files of one run, deleted at its end. Tests create thousands of databases and
 * profiles: the folder is in memory if there is room, so that they do not wait for the disk, unless `TMPDIR` is set.
 */
export function openScratch() {
  const folder = mkdtempSync(join(process.env.TMPDIR || !hasRoom() ? tmpdir() : memory, 'vestibule-run-'));
  // PostgreSQL refuses to run as root, so another user needs access to its data below.
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
    // Tests also run programs from there.
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize >= room;
  } catch {
    return false;
  }
}
