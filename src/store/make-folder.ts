import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it, for its owner alone. Throws what the system says. Node's own `recursive` tries for
 * ever where a file system answers ENOENT below a folder that is there, as /proc does.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // A node that started at the same moment has made it.
    if (!isFolder(path)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
