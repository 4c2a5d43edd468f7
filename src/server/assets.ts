import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hours } from '../contract/durations.ts';
import { makeFolder } from '../store/make-folder.ts';

const buildsKept = 2;

/**
 * Copies the hashed assets of this build to the data folder and keeps those of the previous build, so that tabs opened
 * before a deploy keep working. Returns the folders to serve, newest first.
 */
export function keepAssets({ dist, dataDir, build }: { dist: string; dataDir: string; build: string }): string[] {
  const folder = resolve(dataDir, 'assets');
  const today = join(folder, build);
  if (!existsSync(today)) {
    makeFolder(folder);
    // Copy to a temporary name and rename, so that an interrupted copy is never mistaken for a complete one.
    const unfinished = `${today}.${process.pid}`;
    cpSync(join(dist, 'client', 'assets'), unfinished, { recursive: true });
    try {
      renameSync(unfinished, today);
    } catch (error) {
      // Another node that started at the same time has already created the same folder.
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

/** A copy in progress, by this node or by another that is starting at the same time. */
const isCopy = (path: string): boolean => /\.\d+$/.test(path);
