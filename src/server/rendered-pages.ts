import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import type { SiteSettings } from '../contract/settings.ts';
import type { Page } from '../http/page.ts';
import { sha256 } from '../security/secrets.ts';
import { makeFolder } from '../store/make-folder.ts';
import type { RenderJob } from './render-pages.ts';

export interface Build {
  readonly id: string;
  readonly timestamp: number;
}

const run = promisify(execFile);

const keptRenderings = 8;
/** Counts up when what is kept of a page changes its form. */
const form = 2;

/** The build in `dist`; throws when there is none. */
export const readBuild = (dist: string): Build => JSON.parse(readFileSync(join(dist, 'client', 'build.json'), 'utf8'));

/**
 * Every page in every language. They depend on the build and on the operator's settings alone, so they are rendered
 * once for each pair, kept in the data folder, and read back at every later start.
 */
export async function openPages({
  dist,
  dataDir,
  settings,
}: {
  dist: string;
  dataDir: string;
  settings: SiteSettings;
}): Promise<readonly Page[]> {
  const build = readBuild(dist);
  const key = sha256(JSON.stringify([form, settings, build.id, process.version])).slice(0, 16);
  const folder = join(dataDir, 'pages');
  const file = join(folder, key);
  if (!isKept(file)) {
    makeFolder(folder);
    const job: RenderJob = { dist, settings, build: build.id, file };
    const program = join(import.meta.dirname, 'render-pages.ts');
    await run(process.execPath, [program, JSON.stringify(job)]).catch((error: Error & { stderr?: string }) => {
      throw asSystemFault(error);
    });
    forgetOldRenderings(folder);
  }
  // Written only by ourselves: the folder is the operator's own.
  return deserialize(readFileSync(file));
}

/** Says also that it is used: whoever goes back and forth between two settings keeps both. */
function isKept(file: string): boolean {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // It is not there, or somebody else's.
  }
  return existsSync(file);
}

/** What the other process was told by the system, such as that the disk is full, without its stack. */
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
