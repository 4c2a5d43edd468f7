import { minutes } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import type { Drill } from '../drill.ts';
import { killed } from './kill.ts';
import { down, killedAfterData, refusing, slow } from './servers.ts';

const engines: readonly Engine[] = ['sqlite', 'postgres'];
const scenes = {
  'down for seventy minutes': down,
  refusing,
  slow,
  'killed after DATA': killedAfterData,
  'kill -9': killed,
};

export const drill: Drill = {
  promise: 'Every email arrives at least once, under one Message-ID, and never with a dead link.',
  maxConcurrent: 5,
  scenes: engines.flatMap((engine) =>
    Object.entries(scenes).map(([name, play]) => ({
      name: `${name} (${engine})`,
      within: minutes(6),
      play: async ({ fresh, ...stage }) => play({ ...stage, ...(await fresh(engine)) }),
    })),
  ),
};
