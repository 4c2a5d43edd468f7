import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/contract/units.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import {
  bytesOf,
  cellsOfRegularUser,
  dial,
  newBrowser,
  type RegularUserStats,
  registerPerson,
  startRegularUser,
} from '../fixtures/visitors.ts';

/** Milliseconds, on a machine that also runs the attackers. */
const honestWithin = { half: seconds(0.5), all: seconds(3) };
/** MB; thousands of connections come and go. */
const memoryAtMost = 400;
/** Shorter attacks are repeated. */
const lasts = seconds(3);
const head = 'Host: door.example\r\nContent-Type: application/json\r\n';
const opening = `POST /auth/login HTTP/1.1\r\n${head}`;
/** A client that keeps sending may lose the response together with the connection. */
const refusedOrReset = /^(?:HTTP\/1\.1 413|$)/;
const spaces = ' '.repeat(15_000);

interface Attack {
  readonly connections: number;
  /** Bytes that are sent first. */
  begin(): Buffer | string;
  /** Bytes that are then sent repeatedly, until the service closes the connection. */
  readonly drip?: Buffer | string;
  /** Milliseconds between two of these. */
  readonly every?: number;
  /** Milliseconds after which the service must have closed. */
  readonly closedWithin?: number;
  /** Expected start of the response, if there is one. */
  readonly answered?: RegExp;
}

const attacks: Readonly<Record<string, Attack>> = {
  'slow headers (one byte every 0.5 s)': {
    connections: 400,
    begin: () => 'POST /auth/login HTTP/1.1\r\nX-Slow: ',
    drip: 'a',
    every: 500,
    closedWithin: seconds(13),
  },
  'slow bodies (one byte every 0.5 s)': {
    connections: 400,
    begin: () => `${opening}Content-Length: 1000\r\n\r\n{`,
    drip: ' ',
    every: 500,
    closedWithin: seconds(18),
  },
  'a declared body of 1 GB': {
    connections: 50,
    begin: () => `${opening}Content-Length: 1073741824\r\n\r\n`,
    drip: Buffer.alloc(65_536, 0x20),
    every: 1,
    closedWithin: seconds(5),
    answered: refusedOrReset,
  },
  'endless chunks': {
    connections: 50,
    begin: () => `${opening}Transfer-Encoding: chunked\r\n\r\n`,
    drip: Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`),
    every: 1,
    closedWithin: seconds(5),
    answered: refusedOrReset,
  },
  'deep JSON': {
    connections: 400,
    begin: () => bytesOf({ browser: newBrowser('http://127.0.0.1'), path: '/auth/login', body: '['.repeat(16_000) }),
    answered: /^HTTP\/1\.1 4\d\d/,
  },
  '15,000 spaces in Accept-Language': { connections: 100, begin: () => pageWith(`Accept-Language: a${spaces}b`) },
  '15,000 spaces in Accept-Encoding': { connections: 100, begin: () => pageWith(`Accept-Encoding: a${spaces}b`) },
  '15,000 spaces in a cookie': { connections: 100, begin: () => pageWith(`Cookie: csrf_token=a${spaces}b`) },
  '15,000 commas in X-Forwarded-For': {
    connections: 100,
    begin: () => pageWith(`X-Forwarded-For: ${','.repeat(15_000)}`),
  },
};

const pageWith = (header: string): string => `GET / HTTP/1.1\r\nHost: door.example\r\n${header}\r\n\r\n`;

async function play(stage: Stage, name: string): Promise<Row> {
  const attack = attacks[name] as Attack;
  const service = await stage.start({ database: await stage.fresh('sqlite') });
  const stop = startRegularUser(service.url, await registerPerson(service.url));
  await pause(500);
  const ends: Awaited<ReturnType<typeof attackOnce>>[] = [];
  for (const began = performance.now(); performance.now() - began < lasts; ) {
    const wave = Array.from({ length: attack.connections }, () => attackOnce(service.url, attack));
    ends.push(...(await Promise.all(wave)));
  }
  const seen = await stop();
  const { peak } = service.memory();
  const lasted = Math.max(...ends.map((end) => end.lasted));
  const right = ends.filter(({ response }) => (attack.answered ?? /^HTTP|^$/).test(response)).length;
  return judged(
    {
      attack: name,
      connections: ends.length,
      'longest connection, s': (lasted / 1000).toFixed(1),
      ...cellsOfRegularUser(seen),
      'peak memory, MB': peak,
    },
    {
      'the honest visitor is served': isServed(seen),
      'attackers are cut off': lasted <= (attack.closedWithin ?? seconds(10)),
      'the request is rejected': right === ends.length,
      'memory is bounded': peak <= memoryAtMost,
    },
  );
}

const isServed = ({ asked, served, p50, p99 }: RegularUserStats): boolean =>
  served === asked && p50 <= honestWithin.half && p99 <= honestWithin.all;

/** One connection, until the service has responded and closed it, or until it has lasted too long. */
async function attackOnce(url: string, { begin, drip, every, closedWithin = seconds(10) }: Attack) {
  const socket = await dial(url);
  const began = performance.now();
  let response = '';
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('data', (chunk) => {
      if (response.length < 100) response += chunk.toString('latin1');
      // The service sent a page and keeps the connection alive, so the attack is over.
      if (drip === undefined) resolve();
    });
  });
  socket.write(begin());
  const more = drip && setInterval(() => socket.writableNeedDrain || socket.write(drip), every);
  const late = setTimeout(() => socket.destroy(), closedWithin + seconds(2));
  await closed;
  clearInterval(more || undefined);
  clearTimeout(late);
  socket.destroy();
  return { lasted: performance.now() - began, response };
}

export const drill: Drill = {
  promise: 'Slow, endless and malicious requests are cut off, and do not slow down an honest visitor.',
  maxConcurrent: 1,
  scenes: Object.keys(attacks).map((name) => ({ name, play: (stage) => play(stage, name) })),
};
