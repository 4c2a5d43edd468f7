import { engines, oidcProvider, ours, oursWith, seconds } from './contenders.ts';
import { type Conversation, load } from './load.ts';
import type { Figures, Measurement } from './measure.ts';
import { clientRefreshes, codeFlows, type OpenIdProvider, refreshTokensOf, requestsOfCodeFlow } from './open-id.ts';
import type { Server } from './process.ts';
import { openIdProviderOf } from './requests.ts';
import { cleanUpGrants, fillGrants } from './store-grants.ts';

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

export const openId: Measurement = {
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

export const cleaning: Measurement = {
  says: 'The hourly clean-up, when 50,000 of 1,000,000 grants and their refresh tokens have expired',
  contenders: async () =>
    engines.map((engine) => ({ name: `Vestibule, ${engine}`, run: () => cleanUpGrants(engine, 0.05) })),
};
