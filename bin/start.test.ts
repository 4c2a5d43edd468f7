import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pinnedNode } from './steps/places.mjs';

const server = join(import.meta.dirname, 'serve.mjs');
const folder = mkdtempSync(join(tmpdir(), 'vestibule-start-'));
let port: number;
let running: ChildProcess | undefined;

beforeAll(async () => {
  port = await freePort();
});

afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts the service like `npm start` on a new machine: without settings, except for a free port. */
function start(): Promise<string> {
  const { PATH, SystemRoot } = process.env;
  const cache = { NODE_COMPILE_CACHE: join(folder, 'compiled'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const child = spawn(process.execPath, [server], {
    cwd: folder,
    env: { PATH, SystemRoot, PORT: String(port), ...cache },
  });
  running = child;
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (text: Buffer) => {
      printed += text;
      if (/\/dev\/inbox\/\s/.test(printed)) resolve(printed);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${printed}`)));
  });
}

async function stop(): Promise<void> {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running?.once('exit', resolve));
  running.kill();
  await ended;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

it('starts without settings, prints its address, and starts again with the existing data', async () => {
  for (const time of ['first', 'second']) {
    const printed = await start();
    expect(printed, time).toContain(`http://localhost:${port}/`);
    // The process that serves never compiles the bundle, which would cost it 28 MB.
    expect(printed, time).toMatch(/V8 code cache for ESM file:\S*\/server\.js was accepted/);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status, time).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/de/`)).status, time).toBe(200);
    await stop();
  }
  if (process.platform !== 'win32') expect(statSync(join(folder, 'data', 'secret.key')).mode & 0o777).toBe(0o600);
});

it.skipIf(process.platform === 'win32')('honors what Node reads at its start, also in .env', async () => {
  const seen = join(folder, 'seen.cjs');
  writeFileSync(seen, "console.error('sees', process.env.NODE_EXTRA_CA_CERTS, process.env.PRODUCT_NAME);");
  const settings = [`NODE_OPTIONS='--require "${seen}"'`, 'NODE_EXTRA_CA_CERTS=/etc/own-ca.pem', 'PRODUCT_NAME=Porch'];
  writeFileSync(join(folder, '.env'), settings.join('\n'));
  const printed = await start();
  // Settings of the service stay out of the environment, which its children inherit.
  expect(printed).toContain('sees /etc/own-ca.pem undefined');
  expect(printed).toContain('Porch is ready');
  await stop();
  rmSync(join(folder, '.env'));
});

it.skipIf(process.platform === 'win32')('opens no debugger on SIGUSR1, which log rotation may send', async () => {
  await start();
  let printed = '';
  running?.stderr?.on('data', (text) => {
    printed += text;
  });
  running?.kill('SIGUSR1');
  // Node would open it in another thread.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect(printed).not.toContain('Debugger');
  await stop();
});

it('names the Node to use if another one starts it', () => {
  const old = join(folder, 'old.cjs');
  writeFileSync(old, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
  const { status, stderr } = spawnSync(process.execPath, ['--require', old, server], { encoding: 'utf8' });
  expect(stderr.trim()).toBe(`Node 20.20.2 is too old for the service. Run this file with ${pinnedNode}`);
  expect(status).toBe(1);
});
