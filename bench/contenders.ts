import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { freePort } from '../src/testing/free-port.ts';
import { type BenchRequest, type Contender, type Conversation, type Figures, inTurn, load } from './measure.ts';
import { type OpenIdProvider, openIdClient } from './open-id.ts';
import { type Engine, type OwnService, openOwnService, type Server, startServer } from './servers.ts';

/** Seconds of each run. */
export const seconds = 5;
export const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** Measures a server, and stops it. */
async function workOn<S extends Server>(opening: Promise<S>, work: (server: S) => Promise<Figures>): Promise<Figures> {
  const server = await opening;
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

interface Ours {
  readonly people: number;
  readonly hasClients?: boolean;
  /** What is special about the service, after its name. */
  readonly detail?: string;
}

/** Our service on both engines. */
export const oursWith = (
  { detail = '', ...opening }: Ours,
  work: (service: OwnService) => Promise<Figures>,
): Contender[] =>
  engines.map((engine) => ({
    name: `Vestibule, ${engine}${detail}`,
    run: () => workOn(openOwnService({ engine, ...opening }), work),
  }));

export const ours = (people: number, work: (service: OwnService) => Promise<Figures>): Contender[] =>
  oursWith({ people }, work);

interface BetterAuth extends Server {
  readonly signIns: readonly BenchRequest[];
  /** Reads of a signed-in user's session: the nearest equivalent of a refresh, although it writes nothing. */
  readonly sessionReads: readonly BenchRequest[];
}

const password = 'rain under tin roofs';

/** Starts Better Auth on an empty SQLite database, and registers people. */
async function openBetterAuth(people: number): Promise<BetterAuth> {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    url,
    module: join(import.meta.dirname, 'peers', 'better-auth.mjs'),
    env: { PORT: String(port), FILE: join(folder, 'peer.sqlite'), NODE_ENV: 'production' },
    probe: '/api/auth/ok',
  });
  const json = { 'content-type': 'application/json', origin: url };
  const emails = Array.from({ length: people }, (_, at) => `person${at}@example.com`);
  const sessionReads: BenchRequest[] = [];
  for (const email of emails) {
    const body = JSON.stringify({ name: 'Anna Berg', email, password });
    const response = await fetch(`${url}/api/auth/sign-up/email`, { method: 'POST', headers: json, body });
    if (!response.ok) throw new Error(`Better Auth refused to register: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    sessionReads.push({ method: 'GET', path: '/api/auth/get-session', headers: { cookie } });
  }
  return {
    ...server,
    signIns: emails.map((email) => ({
      method: 'POST',
      path: '/api/auth/sign-in/email',
      headers: json,
      body: JSON.stringify({ email, password }),
    })),
    sessionReads,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const betterAuth = (people: number, work: (peer: BetterAuth) => Promise<Figures>): Contender => ({
  name: 'Better Auth, sqlite',
  run: () => workOn(openBetterAuth(people), work),
});

interface OidcProvider extends Server {
  /** Each client continues with the token that it received last. */
  readonly refreshes: () => Conversation;
  readonly provider: OpenIdProvider;
}

/** Starts oidc-provider, which keeps everything in memory, with the given number of sessions. */
async function openOidcProvider(sessions: number): Promise<OidcProvider> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    url,
    module: join(import.meta.dirname, 'peers', 'oidc-provider.mjs'),
    env: {
      PORT: String(port),
      SESSIONS: String(sessions),
      CLIENT: JSON.stringify(openIdClient),
      NODE_ENV: 'production',
    },
    probe: '/.well-known/openid-configuration',
  });
  const tokens = (await (await fetch(`${url}/tokens`)).json()) as string[];
  const ids = (await (await fetch(`${url}/sessions`)).json()) as string[];
  const provider: OpenIdProvider = {
    url,
    paths: { authorization: '/auth', token: '/token', userinfo: '/me' },
    browsers: ids.map((id) => ({ cookie: `_session=${id}` })),
  };
  return { ...server, refreshes: refreshesOf(tokens), provider };
}

function refreshesOf(tokens: readonly string[]): () => Conversation {
  let at = 0;
  return () => {
    let token = tokens[at % tokens.length] ?? '';
    at += 1;
    return {
      next: () => ({
        method: 'POST',
        path: '/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams({ grant_type: 'refresh_token', client_id: 'bench', refresh_token: token })),
      }),
      heard(_, body) {
        token = (JSON.parse(body) as { refresh_token: string }).refresh_token;
      },
    };
  };
}

export const oidcProvider = (sessions: number, work: (peer: OidcProvider) => Promise<Figures>): Contender => ({
  name: 'oidc-provider, in memory',
  run: () => workOn(openOidcProvider(sessions), work),
});

/** Adds the processor time that the server's process spent on each request, or on all requests of a conversation. */
export async function costed(server: { cpu(): number }, work: () => Promise<Figures>, requests = 1): Promise<Figures> {
  const before = server.cpu();
  const figures = await work();
  const served = ((figures['per second'] ?? 0) * seconds) / requests;
  const name = requests === 1 ? 'CPU per request, ms' : 'CPU per sign-in, ms';
  return served === 0 ? figures : { ...figures, [name]: (server.cpu() - before) / served };
}

/** The limit of the machine: bare hashes with the product's parameters on every processor. */
export const bareHash: Contender = {
  name: 'limit: bare Argon2id',
  async run() {
    const until = performance.now() + seconds * 1000;
    let done = 0;
    const one = async () => {
      while (performance.now() < until) {
        await hash('rain under tin roofs', { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, one));
    return { 'per second': done / seconds };
  },
};

/** Pages of 4 kB, written and synced to the disk one after another. */
export const bareDisk: Contender = {
  name: 'limit: bare write and fsync',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
    const file = openSync(join(folder, 'pages'), 'w');
    const page = Buffer.alloc(4096);
    const until = performance.now() + seconds * 1000;
    let done = 0;
    for (; performance.now() < until; done += 1) {
      writeSync(file, page);
      fsyncSync(file);
    }
    closeSync(file);
    rmSync(folder, { recursive: true });
    return { 'per second': done / seconds };
  },
};

/** Node's own server with a constant response. */
export const bareHttp: Contender = {
  name: 'limit: bare node:http',
  async run(): Promise<Figures> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const opening = startServer({
      url,
      module: join(import.meta.dirname, 'peers', 'bare-http.mjs'),
      env: { PORT: String(port) },
      probe: '/',
    });
    const converse = inTurn([{ method: 'GET', path: '/', headers: {} }]);
    return workOn(opening, () => load({ url, clients: 64, seconds, converse }));
  },
};
