import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { SiteSettings } from '../../contract/settings.ts';
import type { Page } from '../../http/pages/page.ts';
import { sha256 } from '../../security/secrets.ts';
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
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Every page in every language. Pages depend only on the build and the settings, so each combination is rendered once,
 * stored in the data folder, and found there by later starts.
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
  const file = join(dataDir, 'pages', key);
  const job: RenderJob = { dist, settings, build: build.id, file };
  if (!isKept(file)) await render(job);
  try {
    return openPageFile(file);
  } catch {
    // A power cut or a failing disk has damaged it.
    rmSync(file, { force: true });
    await render(job);
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
