import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, one of which could take a free port at any moment. */
const lowest = 20_000;
/** Ports of each parallel process of a test run. */
const share = 380;
const processes = 32;

const own = lowest + (Number(process.env.VITEST_POOL_ID ?? 0) % processes) * share;
let given = process.pid % share;

/** A port of this machine that is free, and that no other process of this test run gets. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < share; tries += 1) {
    given = (given + 1) % share;
    // Before the `await`, since parallel calls count on.
    const port = own + given;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${own} to ${own + share} is free`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
