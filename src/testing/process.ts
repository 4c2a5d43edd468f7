import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { compileCache } from './compile-cache.ts';
import type { TestDatabase } from './databases.ts';
import { freePort } from './free-port.ts';

const program = join(import.meta.dirname, '..', 'server', 'server.ts');
/** As operators run it. */
const builtProgram = join(import.meta.dirname, '..', '..', 'dist', 'server', 'server.js');

/** The service as a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  /** All that it has written until now, the log and the rest. */
  output(): string;
  /** The lines of its log. */
  log(): Record<string, unknown>[];
  /** Ends it as a service manager does. */
  stop(): Promise<void>;
}

const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts the service on a database, with settings as an operator writes them; it ends with the test file. */
export async function startProcess(
  { dataDir, databaseUrl }: TestDatabase,
  settings: Readonly<Record<string, string>> = {},
  { built = false }: { built?: boolean } = {},
): Promise<ServiceProcess> {
  const port = await freePort();
  const { PATH, SystemRoot } = process.env;
  const child = spawn(process.execPath, [built ? builtProgram : program], {
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
  running.push(child);
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
