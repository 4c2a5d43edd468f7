import { openBetterAuth } from './better-auth.ts';
import type { Contender, Figures } from './measure.ts';
import { type OidcProvider, openOidcProvider } from './oidc-provider.ts';
import { type Engine, type OwnService, openOwnService } from './own-service.ts';

/** Seconds of each run. */
export const seconds = 5;
export const engines: readonly Engine[] = ['sqlite', 'postgres'];

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
    async run() {
      const service = await openOwnService({ engine, ...opening });
      try {
        return await work(service);
      } finally {
        await service.stop();
      }
    },
  }));

export const ours = (people: number, work: (service: OwnService) => Promise<Figures>): Contender[] =>
  oursWith({ people }, work);

type Peer = Awaited<ReturnType<typeof openBetterAuth>>;

export const betterAuth = (people: number, work: (peer: Peer) => Promise<Figures>): Contender => ({
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

export const oidcProvider = (sessions: number, work: (peer: OidcProvider) => Promise<Figures>): Contender => ({
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
export async function costed(server: { cpu(): number }, work: () => Promise<Figures>, requests = 1): Promise<Figures> {
  const before = server.cpu();
  const figures = await work();
  const served = ((figures['per second'] ?? 0) * seconds) / requests;
  const name = requests === 1 ? 'CPU per request, ms' : 'CPU per sign-in, ms';
  return served === 0 ? figures : { ...figures, [name]: (server.cpu() - before) / served };
}
