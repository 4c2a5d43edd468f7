import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { minutes } from '../src/contract/units.ts';
import type { DatabaseSettings } from '../src/store/database.ts';
import { type Client, openClient } from '../src/testing/client.ts';
import { startPostgres } from '../src/testing/databases/postgres.ts';
import { freePort } from '../src/testing/free-port.ts';
import { form, password } from '../src/testing/people.ts';
import { openIdClient } from './open-id.ts';

/** A server in a separate process, so that its figures exclude the load generator. */
export interface Server {
  readonly url: string;
  /** Milliseconds from its start to its first response. */
  readonly readyAfter: number;
  /** MB that its process holds in memory. */
  memory(): number;
  /** Milliseconds of processor time since it started. */
  cpu(): number;
  stop(): Promise<void>;
}

interface Start {
  readonly url: string;
  readonly module: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Path that responds with 200 once the server works. */
  readonly probe: string;
}

/** Starts a server and waits until it responds. `BENCH_CPUS=0` pins it to processors, if the machine has `taskset`. */
export async function startServer({ url, module, args = [], env, cwd, probe }: Start): Promise<Server> {
  const { BENCH_CPUS } = process.env;
  const command = [...(BENCH_CPUS ? ['taskset', '-c', BENCH_CPUS] : []), process.execPath, module, ...args];
  const began = performance.now();
  const child = spawn(command[0] as string, command.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  while (!(await answers(url + probe))) {
    if (child.exitCode !== null || performance.now() - began > minutes(1)) {
      child.kill();
      throw new Error(`${module} does not start: ${Buffer.concat(errors).toString().slice(0, 2000)}`);
    }
    await pause(5);
  }
  return { url, readyAfter: performance.now() - began, ...watch(child) };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK']));

function watch(child: ChildProcess): Omit<Server, 'url' | 'readyAfter'> {
  const { pid } = child;
  return {
    memory() {
      const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kilobytes) / 1024;
    },
    cpu() {
      // The 14th and 15th field, counted from the end of the name, which may contain spaces (proc(5)).
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export type Engine = 'sqlite' | 'postgres';

export interface OwnService extends Server {
  /** Milliseconds until the first response of the very first start, which renders the pages. */
  readonly readyAtFirstAfter: number;
  /** The origin of its pages. */
  readonly origin: string;
  readonly database: DatabaseSettings;
  /** Signed-in users, each with a separate browser and address. */
  readonly people: readonly Person[];
}

export interface Person {
  readonly email: string;
  readonly password: string;
  readonly ip: string;
  readonly browser: Client;
}

/** The address of the n-th person; some share a network, as in reality. */
export const addressOf = (at: number): string => `198.${18 + (at >>> 16)}.${(at >>> 8) & 255}.${at & 255}`;

/** The address of the n-th stranger; each has a separate network. */
export const strangeAddressOf = (at: number): string => `203.${(at >>> 8) & 255}.${at & 255}.7`;

/** The origin of an application that the service guards. */
export const guardedOrigin = 'http://app.localhost:9000';
export const guardedClient = 'app';

interface Opening {
  readonly engine: Engine;
  readonly people: number;
  /** Whether other applications use the service. */
  readonly hasClients?: boolean;
}

/** Starts the service as `npm start` does, on an empty database, and registers people. */
export async function openOwnService({ engine, people, hasClients = true }: Opening): Promise<OwnService> {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres() : undefined;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // Passkeys do not work for an IP address.
  const origin = `http://localhost:${port}`;
  const clientsFile = join(folder, 'clients.json');
  const redirect = `${guardedOrigin}/.vestibule/callback`;
  writeFileSync(
    clientsFile,
    JSON.stringify([
      { client_id: guardedClient, client_name: 'App', public: true, first_party: true, redirect_uris: [redirect] },
      {
        client_id: openIdClient.id,
        client_name: 'Web',
        // As the peers sign.
        id_token_signed_response_alg: 'ES256',
        client_secrets: [openIdClient.secret],
        redirect_uris: [openIdClient.redirectUri],
        first_party: true,
      },
    ]),
  );
  const start = () =>
    startServer({
      url,
      module: join(import.meta.dirname, '..', 'bin', 'serve.mjs'),
      cwd: folder,
      probe: '/readyz',
      env: {
        NODE_ENV: 'test',
        LOG_LEVEL: 'silent',
        PORT: String(port),
        PUBLIC_URL: origin,
        DATA_DIR: folder,
        DATABASE_URL: postgres?.url,
        TRUSTED_PROXIES: '127.0.0.1',
        ...(hasClients && { CLIENTS_FILE: clientsFile }),
        PHONE_CONFIRMATION: 'off',
      },
    });
  // The first start renders the pages; the bench measures a later one.
  const first = await start();
  await first.stop();
  const server = await start();
  return {
    ...server,
    origin,
    database: { dataDir: folder, databaseUrl: postgres?.url },
    readyAtFirstAfter: first.readyAfter,
    people: await registerPeople(url, people),
    async stop() {
      await server.stop();
      postgres?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function registerPeople(url: string, count: number): Promise<Person[]> {
  const people: Person[] = [];
  const registerNext = async () => {
    for (let at = people.length; at < count; at = people.length) {
      const ip = addressOf(at);
      const browser = openClient(url, { ip });
      const person = { email: `person${at}@example.com`, password, ip, browser };
      people.push(person);
      const { status } = await browser.post('/auth/register', form({ email: person.email }));
      if (status !== 201) throw new Error(`a registration got ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, registerNext));
  return people;
}
