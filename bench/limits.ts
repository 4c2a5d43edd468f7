import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { freePort } from '../src/testing/free-port.ts';
import { inTurn, load } from './load.ts';
import type { Contender, Figures } from './measure.ts';
import { startServer } from './process.ts';

/** The limit of the machine: bare hashes with the product's parameters on every processor. */
export const bareHash = (seconds: number): Contender => ({
  name: 'limit: bare Argon2id',
  async run() {
    const until = performance.now() + seconds * 1000;
    let done = 0;
    const one = async () => {
      while (performance.now() < until) {
        await hash('rain under tin roofs', { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, one));
    return { 'per second': done / seconds };
  },
});

/** Pages of 4 kB, written and synced to the disk one after another. */
export const bareDisk = (seconds: number): Contender => ({
  name: 'limit: bare write and fsync',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
    const file = openSync(join(folder, 'pages'), 'w');
    const page = Buffer.alloc(4096);
    const until = performance.now() + seconds * 1000;
    let done = 0;
    for (; performance.now() < until; done += 1) {
      writeSync(file, page);
      fsyncSync(file);
    }
    closeSync(file);
    rmSync(folder, { recursive: true });
    return { 'per second': done / seconds };
  },
});

/** Node's own server with a constant response. */
export const bareHttp = (seconds: number): Contender => ({
  name: 'limit: bare node:http',
  async run(): Promise<Figures> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const server = await startServer({
      url,
      module: join(import.meta.dirname, 'peers', 'bare-http.mjs'),
      env: { PORT: String(port) },
      probe: '/',
    });
    try {
      return await load({ url, clients: 64, seconds, converse: inTurn([{ method: 'GET', path: '/', headers: {} }]) });
    } finally {
      await server.stop();
    }
  },
});
