import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { SettingsError } from '../contract/settings.ts';
import type { Config } from './settings/config.ts';

/** Combines listeners into one; undefined without listeners, so that callers can skip measuring. */
export function combineListeners<Event>(...listeners: readonly (((event: Event) => void) | undefined)[]) {
  const listening = listeners.filter((listener) => listener !== undefined);
  if (listening.length === 0) return undefined;
  return (event: Event): void => {
    for (const listener of listening) listener(event);
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with a free port instead of `PORT=0`: links and cookies need the number before the service listens.
 */
export async function choosePort(environment: Environment): Promise<Environment> {
  if (environment.PORT?.trim() !== '0') return environment;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return { ...environment, PORT: String(port) };
}

type Ports = Pick<Config, 'HOST' | 'PORT' | 'METRICS_PORT' | 'BOUNCE_LISTEN'>;

/** Listens at HOST and PORT; throws a `SettingsError` that names the invalid one. */
export async function listen(app: FastifyInstance, { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): Promise<void> {
  await app.listen({ host: HOST, port: PORT }).catch((cause: NodeJS.ErrnoException) => {
    const says = problems[cause.code ?? '']?.(HOST, PORT);
    throw says === undefined ? cause : new SettingsError(says, { cause });
  });
}

/** Throws a `SettingsError` if another process has a port of this service: the pages are rendered before it listens. */
export async function refuseTakenPorts({ HOST, PORT, METRICS_PORT, BOUNCE_LISTEN }: Ports): Promise<void> {
  const places: (readonly [name: string, host: string, port: number])[] = [
    ['PORT', HOST, PORT],
    ...(METRICS_PORT ? [['METRICS_PORT', '127.0.0.1', METRICS_PORT] as const] : []),
    ...(BOUNCE_LISTEN ? [['BOUNCE_LISTEN', BOUNCE_LISTEN.host, BOUNCE_LISTEN.port] as const] : []),
  ];
  for (const [name, host, port] of places) {
    const server = createServer();
    const opened = once(server, 'listening').catch(({ code }: NodeJS.ErrnoException) => code);
    server.listen({ host, port });
    const code = await opened;
    if (code === 'EADDRINUSE') throw new SettingsError(`${name}: another process already listens at ${host}:${port}`);
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}

const noAddress = (host: string) => `HOST: ${host} is not an address of this machine`;

const problems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `PORT: another process already listens at ${host}:${port}`,
  EACCES: (_host, port) => `PORT: this user may not listen at port ${port}; use a port above 1023 behind a proxy`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};

/** Descriptors for the database, logs, files in progress, outgoing connections, and Node itself. */
const reserve = 64;

/**
 * The number of connections that the system's limit of open files leaves room for; infinite where the limit is unknown.
 */
export function maxConnections({ DATABASE_POOL }: { readonly DATABASE_POOL: number }): number {
  return Math.max(1, openFilesLimit() - reserve - DATABASE_POOL);
}

/** Node raises its soft limit to the hard one when it starts. */
function openFilesLimit(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Niceness added to hash threads (setpriority(2)): on a busy processor they get a tenth of it, plus all idle time. */
const behind = 10;
const last = 19;
const tasks = '/proc/self/task';

/**
 * Gives the threads that compute hashes a lower priority than the main thread, which then never waits for them even if
 * they use every processor. Only Linux has priorities per thread; elsewhere, and where it is forbidden, all stay equal.
 */
export async function lowerHashPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  try {
    const niceness = Math.min(getPriority() + behind, last);
    // These threads start with their first task: at the latest this readdir.
    for (const id of await readdir(tasks)) {
      const name = (await readFile(join(tasks, id, 'comm'), 'utf8')).trim();
      if (name === 'libuv-worker') setPriority(Number(id), niceness);
    }
  } catch {
    // A sandbox may hide threads or forbid changing priorities.
  }
}
