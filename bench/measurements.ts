import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startBrowser } from '../e2e/browser.ts';
import { minutes } from '../src/contract/units.ts';
import { operatorsConsole } from './console.ts';
import {
  bareDisk,
  bareHash,
  bareHttp,
  betterAuth,
  costed,
  engines,
  oidcProvider,
  ours,
  oursWith,
  seconds,
} from './contenders.ts';
import { cleanUpGrants, fillGrants } from './fill-store.ts';
import {
  type Contender,
  type Conversation,
  type Figures,
  inTurn,
  load,
  type Measurement,
  medianOf,
} from './measure.ts';
import { clientRefreshes, codeFlows, type OpenIdProvider, refreshTokensOf, requestsOfCodeFlow } from './open-id.ts';
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
import type { OwnService, Server } from './servers.ts';

/** Loads a server, and adds what each request costs it. */
const costedLoad = (server: Pick<Server, 'url' | 'cpu'>, clients: number, converse: () => Conversation) =>
  costed(server, () => load({ url: server.url, clients, seconds, converse }));

const signIn: Measurement = {
  says: 'Sign-ins with the right password in known browsers; 16 clients, 64 users',
  limit: 'limit: bare Argon2id',
  contenders: async () => [
    bareHash,
    ...ours(64, (service) => costedLoad(service, 16, inTurn(signIns(service)))),
    betterAuth(16, (peer) => costedLoad(peer, 16, inTurn(peer.signIns))),
  ],
};

const passkey: Measurement = {
  says: 'Sign-ins with a passkey; 16 clients, 64 users. Each sign-in is two requests: the challenge, and its response',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp,
    ...ours(64, async (service) => {
      const run = { url: service.url, clients: 16, seconds, converse: await passkeySignIns(service) };
      await load(run);
      return costed(service, () => load(run), 2);
    }),
  ],
};

const refresh: Measurement = {
  says: 'Durable refreshes by 64 browsers; Better Auth only reads a session, oidc-provider keeps everything in memory',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp,
    bareDisk,
    ...ours(64, (service) => costedLoad(service, 64, refreshes(service))),
    betterAuth(16, (peer) => costedLoad(peer, 64, inTurn(peer.sessionReads))),
    oidcProvider(64, (peer) => costedLoad(peer, 64, peer.refreshes)),
  ],
};

const reading = (says: string, requests: (service: OwnService) => Parameters<typeof inTurn>[0]): Measurement => ({
  says,
  limit: 'limit: bare node:http',
  contenders: async () => [bareHttp, ...ours(16, (service) => costedLoad(service, 64, inTurn(requests(service))))],
});

const heartbeat: Measurement = {
  says: 'Durable heartbeats of 1,600 computers from 64 clients; 10,000 computers send 167 per second',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp,
    bareDisk,
    ...ours(16, async (service) => {
      const beats = await heartbeats(service, 100);
      return costedLoad(service, 64, inTurn(beats));
    }),
  ],
};

const guard: Measurement = {
  says: '`GET /forward-auth/{client}` from 64 clients, as reverse proxies send it for each request to an application',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp,
    ...ours(16, async (service) => {
      const checks = await guardChecks(service);
      return costedLoad(service, 64, inTurn(checks));
    }),
  ],
};

const pageLoads: Measurement = {
  says: 'First visit in Chromium, at 1.6 Mbit/s, 150 ms latency and a processor slowed down four times',
  contenders: async () =>
    ['/', '/register/'].map((path) => {
      const [contender] = ours(0, (service) => loadPage(service, path));
      return { ...(contender as Contender), name: `Vestibule, ${path}` };
    }),
};

/** Wrong passwords from 64 clients. Only a 401 counts as checked; throws if there was none. */
async function floodOf(service: OwnService, sources: number, lasts: number): Promise<Figures> {
  const flood = { url: service.url, clients: 64, seconds: lasts, converse: inTurn(await guesses(service, sources)) };
  const { 'per second': checked = 0, refused = 0 } = await load({ ...flood, isServed: (status) => status === 401 });
  if (checked === 0) throw new Error(`no password was checked in the flood, ${refused} requests were refused`);
  return { 'passwords checked per second': checked };
}

const flood: Measurement = {
  says: 'Refreshes by 8 browsers while 64 clients guess passwords from 1 and from 500 addresses',
  contenders: async () =>
    [1, 500].flatMap((sources) =>
      ours(8, async (service) => {
        const besides = floodOf(service, sources, seconds + 1);
        await pause(500);
        const figures = await load({ url: service.url, clients: 8, seconds, converse: refreshes(service) });
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
      ...oursWith({ people: 0, hasClients: false }, (service) => body(service, () => floodOf(service, 20, seconds))),
      ...oursWith({ people: 16, detail: ', with an application' }, async (service) => {
        await refreshTokensOf(openIdProviderOf(service));
        return body(service, () => floodOf(service, 20, seconds));
      }),
      betterAuth(1, (peer) =>
        body(peer, () => load({ url: peer.url, clients: 64, seconds, converse: inTurn(peer.signIns) })),
      ),
    ];
  },
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
    ...ours(64, (service) => openIdCosts(service, openIdProviderOf(service))),
    ...oursWith({ people: 64, detail: ', 1,000 clients and 1,000,000 grants' }, async (service) => {
      await fillGrants(service.database);
      return openIdCosts(service, openIdProviderOf(service));
    }),
    oidcProvider(64, (peer) => openIdCosts(peer, peer.provider)),
  ],
};

const cleaning: Measurement = {
  says: 'The hourly clean-up, when 50,000 of 1,000,000 grants and their refresh tokens have expired',
  contenders: async () =>
    engines.map((engine) => ({ name: `Vestibule, ${engine}`, run: () => cleanUpGrants(engine, 0.05) })),
};

/** The measurements by the names that `npm run bench` accepts; `accounts` is the size of a large database. */
export const measurementsWith = ({ accounts }: { accounts: number }): Readonly<Record<string, Measurement>> => ({
  'sign-in': signIn,
  passkey,
  refresh,
  account: reading('`GET /account` from 64 clients', (service) => reads(service, '/account')),
  way: reading('`GET /additionally/way` from 64 clients', (service) => reads(service, '/additionally/way')),
  pages: reading('The sign-in page, compressed', () => pages),
  'page-loads': pageLoads,
  heartbeat,
  guard,
  'open-id': openId,
  'clean-up': cleaning,
  flood,
  memory,
  console: operatorsConsole(accounts),
});

/** A phone on a slow mobile network: bytes per second, milliseconds, and how many times slower its processor is. */
const slowly = { download: 1_600_000 / 8, upload: 750_000 / 8, latency: 150, processor: 4 };
const loads = 5;

/** The timings that a page recorded (page-loads.client.js), in milliseconds. */
interface PageLoadTimings {
  readonly FCP: number;
  readonly LCP: number;
  readonly CLS: number;
  readonly alive: number;
}

async function loadOnce(browser: Browser, url: string): Promise<Figures> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript({ path: join(import.meta.dirname, 'page-loads.client.js') });
  let bytes = 0;
  const session = await slowDown(page);
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.locator('html[data-alive]').waitFor();
  const { FCP, LCP, CLS, alive } = await page.evaluate<PageLoadTimings>('seen');
  await context.close();
  return { 'FCP, ms': FCP, 'LCP, ms': LCP, 'form usable, ms': alive, CLS, kB: bytes / 1000 };
}

async function slowDown(page: Page) {
  const session = await page.context().newCDPSession(page);
  const { download, upload, latency, processor } = slowly;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: download,
    uploadThroughput: upload,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: processor });
  return session;
}

/** Loads a page as a first-time visitor. */
async function loadPage({ url }: OwnService, path: string): Promise<Figures> {
  const server = await startBrowser();
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    const all: Figures[] = [];
    while (all.length < loads) all.push(await loadOnce(browser, url + path));
    return medianOf(all);
  } finally {
    await server.close();
  }
}
