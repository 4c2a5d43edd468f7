import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import type { TestResponse } from '../../src/testing/client.ts';
import { judged, type Row, type Scene, type Stage } from '../drill.ts';
import {
  attempt,
  newBrowser,
  type Person,
  percentile,
  registerPeople,
  signInOnNewDevice,
} from '../fixtures/visitors.ts';
import type { FloodRequest } from './attacker.ts';
import { applicationSettings, beginFlood, type FloodName, floodNames, requestsOf, unknownPaths } from './floods.ts';

const connections = 64;
const lasts = seconds(4);
const underWayAfter = seconds(1.5);
/** The numbers of sources of each flood, in turn. */
const spreads = [1, 20, 500];
/** Milliseconds. On a busy machine, the limit is a multiple of the wait in a flood of unknown paths. */
const goal = 50;
const multiple = 5;
/** Milliseconds within which each newcomer signs in. */
const newcomerWaits = seconds(3);

/** Waits of users, in milliseconds. */
interface Waits {
  readonly pages: number;
  readonly refreshes: number;
  readonly newcomers: number;
  readonly refused: number;
}

interface Watch {
  readonly url: string;
  readonly people: readonly Person[];
  readonly requests: readonly FloodRequest[];
  readonly sources: number;
}

/** The waits of users during a flood: 95th percentiles of pages and refreshes, and the longest sign-in of a newcomer. */
async function waitsDuring(stage: Stage, { url, people, requests, sources }: Watch) {
  const flood = beginFlood(stage, { url, connections, sources, requests });
  await pause(underWayAfter);
  const until = performance.now() + lasts;
  const repeat = async (ask: () => Promise<TestResponse>, gap: number) => {
    const took: number[] = [];
    let refused = 0;
    while (performance.now() < until) {
      const began = performance.now();
      const response = await attempt(ask());
      took.push(performance.now() - began);
      if (response?.status !== 200) refused += 1;
      await pause(gap);
    }
    return { took, refused };
  };
  const [someone, ...others] = people as [Person, ...Person[]];
  const [pages, refreshes, newcomers] = await Promise.all([
    repeat(() => newBrowser(url).get('/'), 20),
    repeat(() => someone.browser.post('/auth/refresh'), 20),
    Promise.all(others.map((person) => repeat(() => signInOnNewDevice(url, person), 300))),
  ]);
  const got = flood.got();
  await flood.stop();
  const waits: Waits = {
    pages: percentile(pages.took, 0.95),
    refreshes: percentile(refreshes.took, 0.95),
    newcomers: Math.max(...newcomers.map(({ took }) => percentile(took, 1))),
    refused: [pages, refreshes, ...newcomers].reduce((sum, { refused }) => sum + refused, 0),
  };
  return { got, waits };
}

async function play(stage: Stage, { name, engine }: { name: FloodName; engine: Engine }): Promise<Row> {
  const database = await stage.fresh(engine);
  const service = await stage.start({ database, settings: applicationSettings(database.dataDir) });
  const { url } = service;
  const people = await registerPeople(url, 4);
  const requests = await requestsOf(name, url);
  const watch = { url, people, sources: 1 };
  const before = (await waitsDuring(stage, { ...watch, requests: [unknownPaths] })).waits;
  const floods: Awaited<ReturnType<typeof waitsDuring>>[] = [];
  for (const sources of spreads) floods.push(await waitsDuring(stage, { ...watch, requests, sources }));
  const after = (await waitsDuring(stage, { ...watch, requests: [unknownPaths] })).waits;
  // The speed of a machine that others use varies within a scene.
  const floorOf = (of: (waits: Waits) => number) => Math.max(of(before), of(after));
  const worst = (of: (waits: Waits) => number) => Math.max(...floods.map(({ waits }) => of(waits)));
  const cells = (of: (waits: Waits) => number) => [floorOf(of), ...floods.map(({ waits }) => of(waits))].join(', ');
  const pages = ({ pages: wait }: Waits) => wait;
  const refreshes = ({ refreshes: wait }: Waits) => wait;
  const newcomers = ({ newcomers: wait }: Waits) => wait;
  const isShort = (of: (waits: Waits) => number) => worst(of) <= Math.max(goal, multiple * floorOf(of));
  return judged(
    {
      flood: name,
      engine,
      'responses to the flood from 500 sources': floods.at(-1)?.got ?? '',
      'pages, p95 in ms: unknown paths; 1, 20, 500 sources': cells(pages),
      'refreshes, p95 in ms': cells(refreshes),
      'newcomers, longest in ms': cells(newcomers),
      'memory, MB': service.memory().now,
    },
    {
      'pages hardly wait': isShort(pages),
      'refreshes hardly wait': isShort(refreshes),
      'newcomers sign in soon': worst(newcomers) <= Math.max(newcomerWaits, multiple * floorOf(newcomers)),
      'everyone is served': worst(({ refused }) => refused) === 0,
    },
  );
}

/** Floods of other work than sign-ins: they compete for the event loop instead of the hash gate. */
export const eventLoopScenes: readonly Scene[] = floodNames.flatMap((name) =>
  (['sqlite', 'postgres'] as const).map((engine) => ({
    name: `${name} (${engine})`,
    play: (stage: Stage) => play(stage, { name, engine }),
  })),
);
