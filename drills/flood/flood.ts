import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import type { TestResponse } from '../../src/testing/client.ts';
import { type Drill, judged, type Row, type Scene, type Stage } from '../drill.ts';
import {
  attempt,
  insist,
  newBrowser,
  type Person,
  percentile,
  registerPeople,
  registerPerson,
  signInOnNewDevice,
} from '../fixtures/visitors.ts';
import { eventLoopScenes } from './event-loop.ts';
import {
  applicationSettings,
  beginFlood,
  floodNames,
  headersOf,
  requestsOf,
  strangerAt,
  wrongPasswords,
} from './floods.ts';

/** The connections that this machine serves in about two seconds, so that the load suits a slow or busy machine. */
const connectionsFor = (signIn: number) => Math.round(Math.min(64, Math.max(32, seconds(2) / signIn)));
const lasts = seconds(8);
/** After this time, the gate has detected the flood. */
const underWayAfter = seconds(2.5);
/** MB. The goal is 150 on a dedicated machine; here the flood competes with the service's garbage collector. */
const memoryAtMost = 170;

const lessThanTheFlood = ({ theirs }: Waits) => theirs / 2;

interface Flood {
  readonly sources: number;
  readonly right?: true;
}

const floods: Readonly<Record<string, Flood>> = {
  'wrong passwords from one source': { sources: 1 },
  'wrong passwords from 20 sources': { sources: 20 },
  'wrong passwords from 500 sources': { sources: 500 },
  'right passwords of one known device': { sources: 1, right: true },
};

/** Requests of regular users during the flood, with limits for their waits relative to this machine's speed. */
const watched: Readonly<Record<string, FloodObservation>> = {
  'known device': {
    most: 20,
    half: lessThanTheFlood,
    ask: (_, { browser, email, password }) => browser.copy().post('/auth/login', { email, password }),
  },
  'new device': {
    most: 60,
    half: lessThanTheFlood,
    ask: signInOnNewDevice,
  },
  // A refresh needs no password hash, so it does not wait in the gate.
  refresh: { most: 20, half: ({ usual }) => usual / 2, ask: (_, { browser }) => browser.post('/auth/refresh') },
};

interface Waits {
  /** Milliseconds of a sign-in without the flood, and of one of the flood's requests. */
  readonly usual: number;
  readonly theirs: number;
}

interface FloodObservation {
  /** Limit for the 99th percentile, in multiples of a sign-in without the flood. */
  readonly most: number;
  /** Limit for the median, in milliseconds. */
  half(waits: Waits): number;
  ask(url: string, person: Person): Promise<TestResponse>;
}

async function play(stage: Stage, name: string, engine: Engine): Promise<Row> {
  const { sources, right } = floods[name] as Flood;
  const service = await stage.start({ database: await stage.fresh(engine) });
  const { url } = service;
  const attackerHimself = await registerPerson(url);
  const names = Object.keys(watched);
  const people = await registerPeople(url, names.length * 4);
  const { email, password, browser } = attackerHimself;
  const rightPasswords = {
    method: 'POST',
    path: '/auth/login',
    headers: headersOf(browser),
    body: { email, password },
  };
  const requests = [right ? rightPasswords : wrongPasswords(await strangerAt(url))];
  const before = await usualTime(url, people);
  const connections = connectionsFor(before);
  const flood = beginFlood(stage, { url, connections, sources, requests });
  await pause(underWayAfter);
  const began = performance.now();
  const repliesBefore = flood.answered();
  const seen = await Promise.all(
    names.map((one, at) => watch(one, { url, until: began + lasts, people: people.slice(at * 4, at * 4 + 4) })),
  );
  const answered = Math.max(1, flood.answered() - repliesBefore);
  // Little's law: mean wait = concurrent requests / throughput.
  const theirs = Math.round((connections * (performance.now() - began)) / answered);
  const { peak } = service.memory();
  const got = flood.got();
  await flood.stop();
  const usual = Math.max(before, await usualTime(url, people));
  const cells = seen.map(({ name, served, asked, p50, p99 }) => [
    `${name}: served; p50, p99, ms`,
    `${served} of ${asked}; ${p50}, ${p99}`,
  ]);
  const promises = seen.flatMap(({ name, served, asked, p50, p99 }) => {
    const { most, half } = watched[name] as FloodObservation;
    return [
      [`${name} is served`, served === asked],
      [`${name} hardly waits`, p50 <= half({ usual, theirs })],
      [`${name} is served soon`, p99 <= most * usual],
    ];
  });
  return judged(
    {
      flood: name,
      engine,
      'responses to the flood': got,
      'wait of the flood, ms': theirs,
      'sign-in without a flood, ms': usual,
      connections,
      ...Object.fromEntries(cells),
      'peak memory, MB': peak,
    },
    { ...Object.fromEntries(promises), 'memory is bounded': peak <= memoryAtMost },
  );
}

/** Median duration of a sign-in without a flood, in milliseconds. */
async function usualTime(url: string, people: readonly Person[]): Promise<number> {
  const took: number[] = [];
  for (const person of people) {
    const began = performance.now();
    await insist(() => newBrowser(url).post('/auth/login', { email: person.email, password: person.password }));
    took.push(performance.now() - began);
  }
  return percentile(took, 0.5);
}

/** Regular users who repeat the same request, each in sequence. */
async function watch(name: string, { url, until, people }: { url: string; until: number; people: readonly Person[] }) {
  const took: number[] = [];
  let served = 0;
  const each = people.map(async (person) => {
    while (performance.now() < until) {
      const began = performance.now();
      const response = await attempt(watched[name]?.ask(url, person) ?? Promise.reject());
      took.push(performance.now() - began);
      if (response?.status === 200) served += 1;
      await pause(150);
    }
  });
  await Promise.all(each);
  return { name, served, asked: took.length, p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
}

/** How long each flood of the scenes about memory lasts. */
const shortly = seconds(1.5);
/** After this time, V8 has collected the garbage of the floods. */
const settledAfter = seconds(45);
/** MB, for everything that the service still holds, with all code loaded. */
const heldAtMost = 150;

async function playMemory(stage: Stage, engine: Engine): Promise<Row> {
  const database = await stage.fresh(engine);
  const service = await stage.start({ database, settings: applicationSettings(database.dataDir) });
  const { url } = service;
  const before = service.memory().now;
  for (const name of floodNames) {
    const flood = beginFlood(stage, { url, connections: 64, sources: 500, requests: await requestsOf(name, url) });
    await pause(shortly);
    await flood.stop();
  }
  await pause(settledAfter);
  const { now, peak } = service.memory();
  return judged(
    { flood: 'every kind in sequence', engine, 'memory before, MB': before, 'after, MB': now, 'peak, MB': peak },
    { 'memory is bounded': now <= heldAtMost },
  );
}

/** All floods, one after another, against the same service. */
const memoryScenes: readonly Scene[] = (['sqlite', 'postgres'] as const).map((engine) => ({
  name: `every kind in sequence (${engine})`,
  play: (stage: Stage) => playMemory(stage, engine),
}));

export const drill: Drill = {
  promise: 'No flood, of sign-ins or other requests, keeps other users out or makes them wait long.',
  maxConcurrent: 1,
  scenes: [
    ...Object.keys(floods).flatMap((name) =>
      (['sqlite', 'postgres'] as const).map((engine) => ({
        name: `${name} (${engine})`,
        play: (stage: Stage) => play(stage, name, engine),
      })),
    ),
    ...eventLoopScenes,
    ...memoryScenes,
  ],
};
