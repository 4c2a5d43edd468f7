import { cleaning, openId } from './applications.ts';
import { operatorsConsole } from './console.ts';
import { betterAuth, costed, oidcProvider, ours, seconds } from './contenders.ts';
import { flood, memory } from './floods.ts';
import { bareDisk, bareHash, bareHttp } from './limits.ts';
import { inTurn, load } from './load.ts';
import type { Contender, Measurement } from './measure.ts';
import type { OwnService } from './own-service.ts';
import { loadPage } from './page-loads.ts';
import { guardChecks, heartbeats, pages, passkeySignIns, reads, refreshes, signIns } from './requests.ts';

const signIn: Measurement = {
  says: 'Sign-ins with the right password in known browsers; 16 clients, 64 users',
  limit: 'limit: bare Argon2id',
  contenders: async () => [
    bareHash(seconds),
    ...ours(64, (service) =>
      costed(service, () => load({ url: service.url, clients: 16, seconds, converse: inTurn(signIns(service)) })),
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
    bareHttp(seconds),
    bareDisk(seconds),
    ...ours(64, (service) =>
      costed(service, () => load({ url: service.url, clients: 64, seconds, converse: refreshes(service) })),
    ),
    betterAuth(16, (peer) =>
      costed(peer, () => load({ url: peer.url, clients: 64, seconds, converse: inTurn(peer.sessionReads) })),
    ),
    oidcProvider(64, (peer) =>
      costed(peer, () => load({ url: peer.url, clients: 64, seconds, converse: peer.refreshes })),
    ),
  ],
};

const reading = (says: string, requests: (service: OwnService) => Parameters<typeof inTurn>[0]): Measurement => ({
  says,
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    ...ours(16, (service) =>
      costed(service, () => load({ url: service.url, clients: 64, seconds, converse: inTurn(requests(service)) })),
    ),
  ],
});

const heartbeat: Measurement = {
  says: 'Durable heartbeats of 1,600 computers from 64 clients; 10,000 computers send 167 per second',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    bareDisk(seconds),
    ...ours(16, async (service) => {
      const beats = await heartbeats(service, 100);
      return costed(service, () => load({ url: service.url, clients: 64, seconds, converse: inTurn(beats) }));
    }),
  ],
};

const guard: Measurement = {
  says: '`GET /forward-auth/{client}` from 64 clients, as reverse proxies send it for each request to an application',
  limit: 'limit: bare node:http',
  contenders: async () => [
    bareHttp(seconds),
    ...ours(16, async (service) => {
      const checks = await guardChecks(service);
      return costed(service, () => load({ url: service.url, clients: 64, seconds, converse: inTurn(checks) }));
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
