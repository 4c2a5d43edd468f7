import { setTimeout as pause } from 'node:timers/promises';
import { minutes } from '../src/contract/durations.ts';
import { openBetterAuth } from './better-auth.ts';
import { type Engine, type FrontDoor, openFrontDoor } from './front-door.ts';
import { bareDisk, bareHash, bareHttp } from './limits.ts';
import { type Conversation, inTurn, load } from './load.ts';
import type { Contender, Figures, Measurement } from './measure.ts';
import { type OidcProvider, openOidcProvider } from './oidc-provider.ts';
import { clientRefreshes, codeFlows, type OpenIdProvider, refreshTokensOf, requestsOfCodeFlow } from './open-id.ts';
import { loadPage } from './page-loads.ts';
import type { Server } from './process.ts';
import {
  guardChecks,
  guesses,
  heartbeats,
  openIdProviderOf,
  pages,
  passkeySignIns,
  reads,
  refreshes,
  signIns,
} from './requests.ts';
import { cleanUpGrants, fillGrants } from './store-grants.ts';

/** Seconds of each run. */
const seconds = 5;
const engines: readonly Engine[] = ['sqlite', 'postgres'];

interface Ours {
  readonly people: number;
  readonly hasClients?: boolean;
  /** What is special about the service, after its name. */
  readonly detail?: string;
}

const oursWith = ({ detail = '', ...opening }: Ours, work: (door: FrontDoor) => Promise<Figures>): Contender[] =>
  engines.map((engine) => ({
    name: `Vestibule, ${engine}${detail}`,
    async run() {
      const door = await openFrontDoor({ engine, ...opening });
      try {
        return await work(door);
      } finally {
        await door.stop();
      }
    },
  }));

const ours = (people: number, work: (door: FrontDoor) => Promise<Figures>): Contender[] => oursWith({ people }, work);

type Peer = Awaited<ReturnType<typeof openBetterAuth>>;

const betterAuth = (people: number, work: (peer: Peer) => Promise<Figures>): Contender => ({
  name: 'Better Auth, sqlite',
  async run() {
    const peer = await openBetterAuth(people);
    try {
      return await work(peer);
    } finally {
      await peer.stop();
    }
  },
});

const oidcProvider = (sessions: number, work: (peer: OidcProvider) => Promise<Figures>): Contender => ({
  name: 'oidc-provider, in memory',
  async run() {
    const peer = await openOidcProvider(sessions);
    try {
      return await work(peer);
    } finally {
      await peer.stop();
    }
  },
});

/** Adds the processor time that the server's process spent on each request, or on all requests of a conversation. */
async function costed(server: { cpu(): number }, work: () => Promise<Figures>, requests = 1): Promise<Figures> {
  const before = server.cpu();
  const figures = await work();
  const served = ((figures['per second'] ?? 0) * seconds) / requests;
  const name = requests === 1 ? 'CPU per request, ms' : 'CPU per sign-in, ms';
  return served === 0 ? figures : { ...figures, [name]: (server.cpu() - before) / served };
}

const signIn: Measurement = {
  says: 'Sign-ins with the right password in known browsers; 16 clients, 64 users',
  limit: 'limit: bare Argon2id',
  contenders: async () => [
    bareHash(seconds),
    ...ours(64, (door) =>
      costed(door, () => load({ url: door.url, clients: 16, seconds, converse: inTurn(signIns(door)) })),
    ),
    betterAuth(16, (peer) =>
      costed(peer, () => load({ url: peer.url, clients: 16, seconds, converse: inTurn(peer.signIns) })),
    ),
  ],
};

const passkey: Measurement = {
  says: 'Sign-ins with a passkey; 16 clients, 64 users. Each sign-in is two requests: the challenge, and its response',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    ...ours(64, async (door) => {
      const run = { url: door.url, clients: 16, seconds, converse: await passkeySignIns(door) };
      await load(run);
      return costed(door, () => load(run), 2);
    }),
  ],
};

const refresh: Measurement = {
  says: 'Durable refreshes by 64 browsers; Better Auth only reads a session, oidc-provider keeps everything in memory',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    bareDisk(seconds),
    ...ours(64, (door) => costed(door, () => load({ url: door.url, clients: 64, seconds, converse: refreshes(door) }))),
    betterAuth(16, (peer) =>
      costed(peer, () => load({ url: peer.url, clients: 64, seconds, converse: inTurn(peer.sessionReads) })),
    ),
    oidcProvider(64, (peer) =>
      costed(peer, () => load({ url: peer.url, clients: 64, seconds, converse: peer.refreshes })),
    ),
  ],
};

const reading = (says: string, requests: (door: FrontDoor) => Parameters<typeof inTurn>[0]): Measurement => ({
  says,
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    ...ours(16, (door) =>
      costed(door, () => load({ url: door.url, clients: 64, seconds, converse: inTurn(requests(door)) })),
    ),
  ],
});

const heartbeat: Measurement = {
  says: 'Durable heartbeats of 1,600 computers from 64 clients; 10,000 computers send 167 per second',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    bareDisk(seconds),
    ...ours(16, async (door) => {
      const beats = await heartbeats(door, 100);
      return costed(door, () => load({ url: door.url, clients: 64, seconds, converse: inTurn(beats) }));
    }),
  ],
};

const guard: Measurement = {
  says: '`GET /forward-auth/{client}` from 64 clients, as reverse proxies send it for each request to an application',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    ...ours(16, async (door) => {
      const checks = await guardChecks(door);
      return costed(door, () => load({ url: door.url, clients: 64, seconds, converse: inTurn(checks) }));
    }),
  ],
};

/** Sign-ins to an application, and then refreshes of its tokens. */
async function openIdCosts(server: Pick<Server, 'cpu'>, provider: OpenIdProvider): Promise<Figures> {
  const tokens = await refreshTokensOf(provider);
  const { url } = provider;
  const measure = async (converse: () => Conversation, requests: number) => {
    const isServed = (status: number) => status < 400;
    // The first hundreds of requests also pay for the compilation of their code.
    await load({ url, clients: 16, seconds, converse, isServed });
    const before = server.cpu();
    const { 'per second': rate = 0, refused = 0 } = await load({ url, clients: 16, seconds, converse, isServed });
    if (refused > 0) throw new Error(`${refused} requests were refused`);
    const perSecond = rate / requests;
    return { perSecond, cpu: (server.cpu() - before) / (perSecond * seconds) };
  };
  const refreshed = await measure(clientRefreshes(provider, tokens), 1);
  const signedIn = await measure(codeFlows(provider), requestsOfCodeFlow);
  return {
    'sign-ins per second': signedIn.perSecond,
    'CPU per sign-in, ms': signedIn.cpu,
    'refreshes per second': refreshed.perSecond,
    'CPU per refresh, ms': refreshed.cpu,
  };
}

const openId: Measurement = {
  says: 'Sign-ins to an application (code, tokens, claims) by signed-in users, and refreshes of its tokens; 16 clients, 64 users',
  contenders: async () => [
    ...ours(64, (door) => openIdCosts(door, openIdProviderOf(door))),
    ...oursWith({ people: 64, detail: ', 1,000 clients and 1,000,000 grants' }, async (door) => {
      await fillGrants(door.database);
      return openIdCosts(door, openIdProviderOf(door));
    }),
    oidcProvider(64, (peer) => openIdCosts(peer, peer.provider)),
  ],
};

const cleaning: Measurement = {
  says: 'The hourly clean-up, when 50,000 of 1,000,000 grants and their refresh tokens have expired',
  contenders: async () =>
    engines.map((engine) => ({ name: `Vestibule, ${engine}`, run: () => cleanUpGrants(engine, 0.05) })),
};

/** Wrong passwords from 64 clients. Only a 401 counts as checked; throws if there was none. */
async function floodOf(door: FrontDoor, sources: number, lasts: number): Promise<Figures> {
  const flood = { url: door.url, clients: 64, seconds: lasts, converse: inTurn(await guesses(door, sources)) };
  const { 'per second': checked = 0, refused = 0 } = await load({ ...flood, isServed: (status) => status === 401 });
  if (checked === 0) throw new Error(`no password was checked in the flood, ${refused} requests were refused`);
  return { 'passwords checked per second': checked };
}

const flood: Measurement = {
  says: 'Refreshes by 8 browsers while 64 clients guess passwords from 1 and from 500 addresses',
  contenders: async () =>
    [1, 500].flatMap((sources) =>
      ours(8, async (door) => {
        const besides = floodOf(door, sources, seconds + 1);
        await pause(500);
        const figures = await load({ url: door.url, clients: 8, seconds, converse: refreshes(door) });
        return { ...figures, ...(await besides) };
      }).map(({ name, run }) => ({ name: `${name}, ${sources} ${sources === 1 ? 'address' : 'addresses'}`, run })),
    ),
};

const memory: Measurement = {
  says: 'Memory and start time, for a first and a second `npm start`',
  contenders: async () => {
    const body = async (
      server: Pick<Server, 'url' | 'readyAfter' | 'memory'> & { readonly readyAtFirstAfter?: number },
      flooded: () => Promise<unknown>,
    ) => {
      const idle = server.memory();
      let peak = idle;
      const watch = setInterval(() => {
        peak = Math.max(peak, server.memory());
      }, 50);
      await flooded();
      clearInterval(watch);
      await pause(minutes(1));
      return {
        ...(server.readyAtFirstAfter && { 'first start, ms': server.readyAtFirstAfter }),
        'second start, ms': server.readyAfter,
        'idle, MB': idle,
        'peak in a flood of sign-ins, MB': peak,
        'a minute later, MB': server.memory(),
      };
    };
    return [
      ...oursWith({ people: 0, hasClients: false }, (door) => body(door, () => floodOf(door, 20, seconds))),
      ...oursWith({ people: 16, detail: ', with an application' }, async (door) => {
        await refreshTokensOf(openIdProviderOf(door));
        return body(door, () => floodOf(door, 20, seconds));
      }),
      betterAuth(1, (peer) =>
        body(peer, () => load({ url: peer.url, clients: 64, seconds, converse: inTurn(peer.signIns) })),
      ),
    ];
  },
};

const pageLoads: Measurement = {
  says: 'First visit in Chromium, at 1.6 Mbit/s, 150 ms latency and a processor slowed down four times',
  contenders: async () =>
    ['/', '/register/'].map((path) => {
      const [contender] = ours(0, (door) => loadPage(door, path));
      return { ...(contender as Contender), name: `Vestibule, ${path}` };
    }),
};

/** By the names that `npm run bench` accepts. */
export const measurements: Readonly<Record<string, Measurement>> = {
  'sign-in': signIn,
  passkey,
  refresh,
  account: reading('`GET /account` from 64 clients', (door) => reads(door, '/account')),
  way: reading('`GET /additionally/way` from 64 clients', (door) => reads(door, '/additionally/way')),
  pages: reading('The sign-in page, compressed', () => pages),
  'page-loads': pageLoads,
  heartbeat,
  guard,
  'open-id': openId,
  'clean-up': cleaning,
  flood,
  memory,
};
