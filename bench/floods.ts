import { setTimeout as pause } from 'node:timers/promises';
import { minutes } from '../src/contract/units.ts';
import { betterAuth, ours, oursWith, seconds } from './contenders.ts';
import { inTurn, load } from './load.ts';
import type { Figures, Measurement } from './measure.ts';
import { refreshTokensOf } from './open-id.ts';
import type { OwnService } from './own-service.ts';
import type { Server } from './process.ts';
import { guesses, openIdProviderOf, refreshes } from './requests.ts';

/** Wrong passwords from 64 clients. Only a 401 counts as checked; throws if there was none. */
async function floodOf(service: OwnService, sources: number, lasts: number): Promise<Figures> {
  const flood = { url: service.url, clients: 64, seconds: lasts, converse: inTurn(await guesses(service, sources)) };
  const { 'per second': checked = 0, refused = 0 } = await load({ ...flood, isServed: (status) => status === 401 });
  if (checked === 0) throw new Error(`no password was checked in the flood, ${refused} requests were refused`);
  return { 'passwords checked per second': checked };
}

export const flood: Measurement = {
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

export const memory: Measurement = {
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
