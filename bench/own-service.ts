import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSettings } from '../src/store/database.ts';
import { type Client, openClient } from '../src/testing/client.ts';
import { startPostgres } from '../src/testing/databases/postgres.ts';
import { freePort } from '../src/testing/free-port.ts';
import { form, password } from '../src/testing/people.ts';
import { openIdClient } from './open-id.ts';
import { type Server, startServer } from './process.ts';

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
