import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hours } from '../../contract/durations.ts';
import { SettingsError } from '../../contract/settings-error.ts';
import { makeFolder } from '../../store/make-folder.ts';

const buildsKept = 2;

/**
 * Copies the hashed assets of this build to the data folder and keeps those of the previous build, so that tabs opened
 * before a deploy keep working. Returns the folders to serve, newest first. Throws a `SettingsError` if an asset of the
 * build is incomplete.
 */
export function keepAssets({ dist, dataDir, build }: { dist: string; dataDir: string; build: string }): string[] {
  const folder = resolve(dataDir, 'assets');
  const today = join(folder, build);
  const sizes = readSizes(dist);
  const source = join(dist, 'client', 'assets');
  const damaged = incompleteIn(source, sizes);
  if (damaged !== undefined)
    throw new SettingsError(`${join(source, damaged)} is missing or incomplete: run \`npm run build\` again`);
  // A full disk or a power cut may have truncated the copy.
  if (existsSync(today) && incompleteIn(today, sizes) !== undefined) rmSync(today, { recursive: true, force: true });
  if (!existsSync(today)) {
    makeFolder(folder);
    // Copy to a temporary name and rename, so that an interrupted copy is never mistaken for a complete one.
    const unfinished = `${today}.${process.pid}`;
    cpSync(source, unfinished, { recursive: true });
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

/** The sizes of assets in bytes, as the build wrote them. */
type Sizes = Readonly<Record<string, number>>;

const readSizes = (dist: string): Sizes =>
  JSON.parse(readFileSync(join(dist, 'client', 'asset-sizes.json'), 'utf8')) as Sizes;

/** The first asset in a folder that does not have the size that the build gave it. */
const incompleteIn = (folder: string, sizes: Sizes): string | undefined =>
  Object.keys(sizes).find((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size !== sizes[name]);

/** A copy in progress, by this node or by another that is starting at the same time. */
const isCopy = (path: string): boolean => /\.\d+$/.test(path);
