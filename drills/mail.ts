import type { Engine } from '../src/store/database.ts';
import type { Drill } from './drill.ts';
import { killed } from './mail-kill.ts';
import { mailMutations } from './mail-mutations.ts';
import { down, killedAfterData, refusing, slow } from './mail-servers.ts';

const engines: readonly Engine[] = ['sqlite', 'postgres'];
const scenes = {
  'down for seventy minutes': down,
  refusing,
  slow,
  'killed after DATA': killedAfterData,
  'kill -9': killed,
};

export const drill: Drill = {
  promise: 'Mail arrives at least once, under one Message-ID, and never with a dead link.',
  atOnce: 10,
  scenes: engines.flatMap((engine) =>
    Object.entries(scenes).map(([name, play]) => ({
      name: `${name} (${engine})`,
      play: async (databases) => play(await databases.fresh(engine)),
    })),
  ),
  mutations: mailMutations,
};
