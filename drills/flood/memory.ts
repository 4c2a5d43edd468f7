import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import type { Scene } from '../drill.ts';
import type { Stage } from '../fixtures/stage.ts';
import { judged, type Row } from '../table.ts';
import { applicationSettings } from './applications.ts';
import { floodNames, requestsOf } from './every-flood.ts';
import { beginFlood } from './flood-process.ts';

const lasts = seconds(1.5);
/** After this time, V8 has collected the garbage of the floods. */
const settledAfter = seconds(45);
/** MB, for everything that the service still holds, with all code loaded. */
const memoryAtMost = 150;

async function play(stage: Stage, engine: Engine): Promise<Row> {
  const database = await stage.fresh(engine);
  const service = await stage.start({ database, settings: applicationSettings(database.dataDir) });
  const { url } = service;
  const before = service.memory().now;
  for (const name of floodNames) {
    const flood = beginFlood(stage, { url, connections: 64, sources: 500, requests: await requestsOf(name, url) });
    await pause(lasts);
    await flood.stop();
  }
  await pause(settledAfter);
  const { now, peak } = service.memory();
  return judged(
    { flood: 'every kind in sequence', engine, 'memory before, MB': before, 'after, MB': now, 'peak, MB': peak },
    { 'memory is bounded': now <= memoryAtMost },
  );
}

/** All floods, one after another, against the same service. */
export const memoryScenes: readonly Scene[] = (['sqlite', 'postgres'] as const).map((engine) => ({
  name: `every kind in sequence (${engine})`,
  play: (stage: Stage) => play(stage, engine),
}));
