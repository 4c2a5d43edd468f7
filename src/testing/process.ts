import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt, stampOfSources } from '../../bin/steps/setup.mjs';
import { compileCache, renderings } from './caches.ts';
import type { TestDatabase } from './databases/databases.ts';
import { onFileEnd } from './file-cleanup.ts';
import { freePort } from './free-port.ts';

interface StartOptions {
  /** Starts the build, not the sources; by default if the build is current. */
  readonly built?: boolean;
  /** Starts like the first time, before any page is rendered or any asset copied. */
  readonly rendersAnew?: boolean;
  /** The limit of open files (`ulimit -n`); not on Windows. */
  readonly openFiles?: number;
}

/** The service as a separate process. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything that it has written so far, including the log. */
  output(): string;
  /** The entries of its log. */
  log(): Record<string, unknown>[];
  /** Ends it as a service manager does. */
  stop(): Promise<void>;
}

/** Starts the service on a database, with settings as an operator writes them; it ends with the test file. */
export async function startProcess(
  { dataDir, databaseUrl }: TestDatabase,
  settings: Readonly<Record<string, string>> = {},
  { built = isBuildCurrent(), rendersAnew = false, openFiles }: StartOptions = {},
): Promise<ServiceProcess> {
  if (!rendersAnew) shareRenderings(dataDir);
  const port = await freePort();
  const { PATH, SystemRoot } = process.env;
  const program = [process.execPath, built ? builtProgram('server') : programFromSources('server')];
  const limited = ['/bin/sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh', ...program];
  const [command = '', ...words] = openFiles === undefined ? program : limited;
  const child = spawn(command, words, {
    cwd: dataDir,
    env: {
      PATH,
      SystemRoot,
      ...compileCache,
      NODE_ENV: 'test',
      PUBLIC_URL: 'https://door.example',
      PHONE_CONFIRMATION: 'off',
      TRUSTED_PROXIES: '127.0.0.1',
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      PORT: String(port),
      ...settings,
    },
  });
  onFileEnd(() => child.kill('SIGKILL'));
  let output = '';
  const ended = once(child, 'exit');
  const keep = (text: unknown) => {
    output += String(text);
  };
  child.stderr.on('data', keep);
  await Promise.race([
    new Promise<void>((resolve) => {
      child.stdout.on('data', (text) => {
        keep(text);
        if (/is ready/.test(output)) resolve();
      });
    }),
    ended.then(() => {
      throw new Error(`the service ended: ${output}`);
    }),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    output: () => output,
    log: () =>
      output
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line)),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Rendered pages and the copy of the build's assets are the same for each process; rendering takes most of a start. */
export function shareRenderings(dataDir: string): void {
  for (const folder of ['pages', 'assets']) {
    const [own, shared] = [join(dataDir, folder), join(renderings, folder)];
    if (existsSync(own)) continue;
    mkdirSync(shared, { recursive: true, mode: 0o700 });
    symlinkSync(shared, own, 'junction');
  }
}

/**
 * Runs a program of the project like an ordinary user, whom file modes restrict. Root keeps its id but loses its
 * capabilities (`setpriv` of util-linux): another user may be unable to enter the folder of the project.
 */
export function spawnUnprivileged(args: readonly string[], options: SpawnSyncOptions) {
  const isRoot = process.getuid?.() === 0;
  const restrict = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
  const [command, ...words] = [...(isRoot ? restrict : []), process.execPath, ...args] as [string, ...string[]];
  const run = spawnSync(command, words, { ...options, encoding: 'utf8' });
  if (run.error) throw run.error;
  return run;
}

let current: boolean | undefined;

/** Whether the build is current: a developer may have changed the sources since. */
export function isBuildCurrent(): boolean {
  current ??= isBuilt(stampOfSources());
  return current;
}

const source = join(import.meta.dirname, '..');
const sources = { server: join(source, 'server', 'server.ts'), vestibule: join(source, 'cli', 'vestibule.ts') };

/** The program as operators run it; it starts with a quarter of the work. */
const builtProgram = (name: keyof typeof sources): string => join(source, '..', 'dist', 'server', `${name}.js`);

const programFromSources = (name: keyof typeof sources): string => sources[name];

/** The build, unless it is older than its sources. */
export const currentProgram = (name: keyof typeof sources): string =>
  isBuildCurrent() ? builtProgram(name) : programFromSources(name);
