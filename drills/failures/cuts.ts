import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import type { Client } from '../../src/testing/client.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import {
  bytesOf,
  cellsOfRegularUser,
  inParallel,
  insist,
  newBrowser,
  type Person,
  registerPeople,
  type Sent,
  sendAndReset,
  startRegularUser,
} from '../fixtures/visitors.ts';

const maxConcurrent = 16;
/** Number of cuts after a complete request, each with another delay. */
const wholeCuts = 40;
/** Milliseconds within which even a busy machine has received a request. */
const longEnough = 300;
/** Limit for other users' waits: a fixed time, or a multiple of the longest wait before the cuts. */
const served = { within: seconds(2), times: 4 };

async function play(stage: Stage, engine: Engine): Promise<Row> {
  const { url } = await stage.start({ database: await stage.fresh(engine) });
  const [honest, ...people] = await registerPeople(url, 4);
  const [signer, refresher, leaver] = people as [Person, Person, Person];
  const rest = startRegularUser(url, honest as Person);
  await pause(seconds(2));
  const longest = Math.max(served.within, served.times * (await rest()).p99);
  const stop = startRegularUser(url, honest as Person);

  const signIn = { path: '/auth/login', body: { email: signer.email, password: signer.password } };
  let cuts = await cutEverywhere(url, { browser: await visited(url), ...signIn });
  const began = performance.now();
  const again = await insist(() => newBrowser(url).post('/auth/login', signIn.body));
  const signInTook = Math.round(performance.now() - began);

  cuts += await cutEverywhere(url, { browser: refresher.browser, path: '/auth/refresh' });
  const refreshed = await insist(() => refresher.browser.post('/auth/refresh'));

  cuts += await cutParts(url, { browser: leaver.browser, path: '/auth/logout' });
  const still = await insist(() => leaver.browser.post('/auth/refresh'));
  const leavers = [leaver.browser, ...(await signInOften(url, leaver, 10))];
  await inParallel(4, leavers, (browser) => sendAndReset(url, bytesOf({ browser, path: '/auth/logout' }), longEnough));
  const ended = await Promise.all(leavers.map((browser) => insist(() => browser.post('/auth/refresh'))));
  const left = ended.filter((response) => response?.status === 401).length;

  const seen = await stop();
  return judged(
    {
      engine,
      'broken connections': cuts + leavers.length,
      ...cellsOfRegularUser(seen),
      'sign-in afterward': `${again?.status} in ${signInTook} ms`,
      'refresh afterward': String(refreshed?.status),
      'sign-outs that took effect': `${left} of ${leavers.length}`,
    },
    {
      'the honest visitor is served': seen.served === seen.asked && seen.p99 <= longest,
      'no account is locked': again?.status === 200 && signInTook <= longest,
      'no session is lost': refreshed?.status === 200 && still?.status === 200,
      'requests that were received take effect': left === leavers.length,
    },
  );
}

/** A browser that has a CSRF token, so that it can send requests. */
async function visited(url: string): Promise<Client> {
  const browser = newBrowser(url);
  await browser.get('/auth/csrf');
  return browser;
}

const signInOften = (url: string, { email, password }: Person, times: number) =>
  inParallel(4, Array.from({ length: times }), async () => {
    const browser = newBrowser(url);
    await insist(() => browser.post('/auth/login', { email, password }));
    return browser;
  });

/** Cuts after each byte except the last one, so the service never has a complete request. */
async function cutParts(url: string, sent: Sent): Promise<number> {
  const bytes = bytesOf(sent);
  const lengths = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  await inParallel(maxConcurrent, lengths, (length) => sendAndReset(url, bytes.subarray(0, length), 1));
  return lengths.length;
}

/** Cuts after each byte, and after the last one with various delays. */
async function cutEverywhere(url: string, sent: Sent): Promise<number> {
  const cuts = await cutParts(url, sent);
  const delays = Array.from({ length: wholeCuts }, (_, at) => at);
  await inParallel(4, delays, (after) => sendAndReset(url, bytesOf(sent), after));
  // Finally cuts after the work is certainly done, so that only the response is lost.
  await sendAndReset(url, bytesOf(sent), longEnough);
  return cuts + delays.length + 1;
}

export const drill: Drill = {
  promise: 'A connection that breaks at any byte never blocks other requests, loses data or leaves work half-done.',
  maxConcurrent: 1,
  scenes: (['sqlite', 'postgres'] as const).map((engine) => ({ name: engine, play: (stage) => play(stage, engine) })),
};
