import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const buildsKept = 2;

/**
 * Keeps the hashed assets of today's build in the data folder, beside those of the one before, so that a tab that
 * was opened before a deploy goes on working. Returns the folders to serve, newest first.
 */
export function keepAssets({ dist, dataDir, build }: { dist: string; dataDir: string; build: string }): string[] {
  const folder = resolve(dataDir, 'assets');
  const today = join(folder, build);
  if (!existsSync(today)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Aside and then renamed, so that a copy that was broken off is not taken for a whole one.
    const unfinished = `${today}.${process.pid}`;
    cpSync(join(dist, 'client', 'assets'), unfinished, { recursive: true });
    renameSync(unfinished, today);
  }
  const age = (path: string) => statSync(path).mtimeMs;
  const others = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== today)
    .sort((a, b) => age(b) - age(a));
  for (const old of others.slice(buildsKept - 1)) rmSync(old, { recursive: true, force: true });
  return [today, ...others.slice(0, buildsKept - 1)];
}
