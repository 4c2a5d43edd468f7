import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/testing/free-port.ts';
import type { BenchRequest } from './load.ts';
import { type Server, startServer } from './process.ts';

export interface Peer extends Server {
  readonly signIns: readonly BenchRequest[];
  /** Reads of a signed-in user's session: the nearest equivalent of a refresh, although it writes nothing. */
  readonly sessionReads: readonly BenchRequest[];
}

const password = 'rain under tin roofs';

/** Starts Better Auth on an empty SQLite database, and registers people. */
export async function openBetterAuth(people: number): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    url,
    module: join(import.meta.dirname, 'peers', 'better-auth.mjs'),
    env: { PORT: String(port), FILE: join(folder, 'peer.sqlite'), NODE_ENV: 'production' },
    probe: '/api/auth/ok',
  });
  const json = { 'content-type': 'application/json', origin: url };
  const emails = Array.from({ length: people }, (_, at) => `person${at}@example.com`);
  const sessionReads: BenchRequest[] = [];
  for (const email of emails) {
    const body = JSON.stringify({ name: 'Anna Berg', email, password });
    const response = await fetch(`${url}/api/auth/sign-up/email`, { method: 'POST', headers: json, body });
    if (!response.ok) throw new Error(`Better Auth refused to register: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    sessionReads.push({ method: 'GET', path: '/api/auth/get-session', headers: { cookie } });
  }
  return {
    ...server,
    signIns: emails.map((email) => ({
      method: 'POST',
      path: '/api/auth/sign-in/email',
      headers: json,
      body: JSON.stringify({ email, password }),
    })),
    sessionReads,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
