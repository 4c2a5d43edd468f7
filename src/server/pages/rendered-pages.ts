import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SettingsError, type SiteSettings } from '../../contract/settings.ts';
import { hours } from '../../contract/units.ts';
import type { Page } from '../../http/pages/page.ts';
import { sha256 } from '../../security/macs.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { openPageFile } from './page-file.ts';
import type { RenderJob } from './render-pages.ts';

export interface Build {
  readonly id: string;
  readonly timestamp: number;
}

const run = promisify(execFile);

const keptRenderings = 8;
/** Version of the file format; increment it when the stored form of a page changes. */
const form = 3;

/** The build in `dist`; throws if there is none. */
export function readBuild(dist: string): Build {
  const file = join(dist, 'client', 'build.json');
  if (!existsSync(file)) throw new Error(`there is no build in ${dist}: run \`npm run build\``);
  const { id, timestamp }: Build = JSON.parse(readFileSync(file, 'utf8'));
  return { id, timestamp };
}

/**
 * Every page in every language. Pages depend only on the build and the settings, so each combination is rendered once,
 * stored in the data folder, and found there by later starts.
 */
export async function openPages({
  dist,
  dataDir,
  settings,
  onRender,
}: {
  dist: string;
  dataDir: string;
  settings: SiteSettings;
  /** Rendering takes up to a minute. */
  onRender?: () => void;
}): Promise<readonly Page[]> {
  const build = readBuild(dist);
  const key = sha256(JSON.stringify([form, settings, build.id, process.version])).slice(0, 16);
  const file = join(dataDir, 'pages', key);
  const job: RenderJob = { dist, settings, build: build.id, file };
  const renderAnew = () => {
    onRender?.();
    return render(job);
  };
  if (!isKept(file)) await renderAnew();
  try {
    return openPageFile(file);
  } catch {
    // A power cut or a failing disk has damaged it.
    rmSync(file, { force: true });
    await renderAnew();
    return openPageFile(file);
  }
}

async function render(job: RenderJob): Promise<void> {
  const folder = dirname(job.file);
  makeFolder(folder);
  const program = join(import.meta.dirname, 'render-pages.ts');
  await run(process.execPath, [program, JSON.stringify(job)]).catch((error: Error & { stderr?: string }) => {
    throw asSystemFault(error);
  });
  forgetOldRenderings(folder);
}

/** Whether a file exists. Marks it as used: an operator who switches between two settings keeps both renderings. */
function isKept(file: string): boolean {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // It does not exist, or belongs to another user.
  }
  return existsSync(file);
}

/** Extracts a system error, such as a full disk, from the output of the other process, without its stack. */
function asSystemFault(error: Error & { stderr?: string }): Error {
  const [, message, code] = /^Error: ((E[A-Z]+): .*)$/m.exec(error.stderr ?? '') ?? [];
  return message === undefined ? error : Object.assign(new Error(message, { cause: error }), { code });
}

function forgetOldRenderings(folder: string): void {
  const byAge = readdirSync(folder)
    .map((name) => join(folder, name))
    .sort((a, b) => readAge(b) - readAge(a));
  for (const file of byAge.slice(keptRenderings)) rmSync(file, { force: true });
}

const readAge = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

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
