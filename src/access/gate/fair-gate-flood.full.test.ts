import { describe, expect, test } from 'vitest';
import { rateLimitOrigin } from '../../http/incoming/visitor.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { type GateRequest, openFairGate } from './fair-gate.ts';
import type { Lane } from './lanes.ts';

const seconds = (count: number) => count * 1000;

const flood = { arrivals: 10_000, during: seconds(30) };
const cores = 2;
const hash = 12;
const database = 2;
/** Failures after which a source moves to the late lane. */
const failuresAllowed = 20;

/** Reproducible pseudo-random numbers (a linear congruential generator). */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The n-th attempt of a mix: its address, lane and account. */
type Mix = (attempt: number) => Omit<GateRequest, 'from'> & { readonly ip: string };

const address = (source: number) => `198.18.${source >>> 8}.${source & 255}`;
/** Wrong passwords: in the late lane from the source's twenty-first on. */
const wrongFrom = (sources: number) => (attempt: number) => {
  const lane = attempt / sources < failuresAllowed ? 'usual' : 'late';
  return { ip: address(attempt % sources), lane, alone: `guessed ${attempt % 97}` } as const;
};

const right = (lane: Lane, accounts: number): Mix => {
  return (attempt) => ({ ip: address(attempt % accounts), lane, alone: `theirs ${attempt % accounts}` });
};
const network: Mix = (attempt) => ({ ip: `2001:db8:1:${attempt.toString(16)}::1`, lane: 'usual' });

/** Each with limits for the 99th percentile of people's waiting time, in milliseconds: on known and on new devices. */
const mixes: readonly (readonly [name: string, mix: Mix, known: number, usual: number])[] = [
  ['wrong passwords from one address', wrongFrom(1), 50, 50],
  ['wrong passwords from 20 addresses', wrongFrom(20), 50, 50],
  ['wrong passwords from 500 addresses', wrongFrom(500), 50, 1000],
  ['correct passwords of one account with a known device', right('known', 1), 50, 50],
  ['correct passwords of 500 accounts with known devices', right('known', 500), 1000, 50],
  ['correct passwords of 500 accounts with new devices', right('usual', 500), 50, 1000],
  ['registrations, each from another /64 of one network', network, 50, 100],
];

/** Sends a flood and people through one gate. Returns the 99th percentile of people's wait; a refusal is infinite. */
async function waits(mix: Mix, allAtOnce: boolean) {
  const time = simulatedTime();
  const random = randomNumbers();
  const gate = openFairGate({ inside: 2 * cores, now: time.now });
  const processors: (() => void)[] = [];
  let idle = cores;

  const compute = async () => {
    if (idle > 0) idle -= 1;
    else await new Promise<void>((resolve) => processors.push(resolve));
    await time.pass(hash);
    const next = processors.shift();
    if (next) next();
    else idle += 1;
  };
  const attempt = async (place: GateRequest): Promise<number> => {
    const began = time.now();
    const done = await gate
      .run(place, async () => {
        await time.pass(database);
        await compute();
        await time.pass(database);
        return true;
      })
      .catch(() => false);
    return done ? time.now() - began : Number.POSITIVE_INFINITY;
  };

  for (let at = 0; at < flood.arrivals; at += 1) {
    const { ip, ...place } = mix(at);
    time.at(allAtOnce ? 0 : random() * flood.during, () => void attempt({ from: rateLimitOrigin(ip), ...place }));
  }
  const people = { known: [] as Promise<number>[], usual: [] as Promise<number>[] };
  for (let at = 0; at < 300; at += 1) {
    for (const lane of ['known', 'usual'] as const) {
      const ip = `203.${lane === 'known' ? 0 : 1}.${at >>> 8}.${at & 255}`;
      const place = { from: rateLimitOrigin(ip), lane, alone: ip };
      time.at(random() * flood.during, () => people[lane].push(attempt(place)));
    }
  }
  await time.run();
  const worstOf99 = async (lane: 'known' | 'usual') =>
    (await Promise.all(people[lane])).sort((a, b) => a - b).at(Math.floor(people[lane].length * 0.99)) as number;
  return { known: await worstOf99('known'), usual: await worstOf99('usual') };
}

describe('10 000 attempts beside 600 people', () => {
  describe.each([
    ['within half a minute', false],
    ['simultaneously', true],
  ])('%s', (_when, allAtOnce) => {
    test.each(mixes)('%s: people hardly wait', async (_name, mix, known, usual) => {
      const waited = await waits(mix, allAtOnce);
      expect(waited.known).toBeLessThan(known);
      expect(waited.usual).toBeLessThan(usual);
    });
  });
});
