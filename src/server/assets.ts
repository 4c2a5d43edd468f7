import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hours } from '../contract/durations.ts';
import { makeFolder } from '../store/make-folder.ts';

const buildsKept = 2;

/**
 * Keeps the hashed assets of today's build in the data folder, beside those of the one before, so that a tab that
 * was opened before a deploy goes on working. Returns the folders to serve, newest first.
 */
export function keepAssets({ dist, dataDir, build }: { dist: string; dataDir: string; build: string }): string[] {
  const folder = resolve(dataDir, 'assets');
  const today = join(folder, build);
  if (!existsSync(today)) {
    makeFolder(folder);
    // Aside and then renamed, so that a copy that was broken off is not taken for a whole one.
    const unfinished = `${today}.${process.pid}`;
    cpSync(join(dist, 'client', 'assets'), unfinished, { recursive: true });
    try {
      renameSync(unfinished, today);
    } catch (error) {
      // A node that started at the same moment has put the same there.
      if (!existsSync(today)) throw error;
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  const age = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const others = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== today);
  const former = others.filter((path) => !isCopy(path)).sort((a, b) => age(b) - age(a));
  const brokenOff = others.filter((path) => isCopy(path) && age(path) < Date.now() - hours(1));
  for (const old of [...former.slice(buildsKept - 1), ...brokenOff]) rmSync(old, { recursive: true, force: true });
  return [today, ...former.slice(0, buildsKept - 1)];
}

/** Not whole yet: this node's, or another's that starts at the same moment. */
const isCopy = (path: string): boolean => /\.\d+$/.test(path);
