import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { minutes } from '../../src/contract/durations.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { Broken } from '../table.ts';
import { endsWithUs } from './children.ts';
import { environmentOf, type Ground, project, type Settings } from './environment.ts';
import { keepRenderings, lendRenderings } from './renderings.ts';

export interface Start {
  readonly database: Ground;
  /** As an operator writes them. */
  readonly settings?: Settings;
  /** The same as before when the service comes back. */
  readonly port?: number;
  /** Of another build of the product. */
  readonly folder?: string;
  /** Node's own. */
  readonly nodeOptions?: readonly string[];
}

/** The service in a process of its own. */
export interface Service {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from its start until it said that it is ready. */
  readonly readyAfter: number;
  /** MB that it holds in memory now, and the most that it ever held; 0 where the system does not tell. */
  memory(): { readonly now: number; readonly peak: number };
  /** All that it has written. */
  output(): string;
  /** SIGKILL: it has no say. */
  kill(): Promise<void>;
  /** SIGTERM, as a service manager does; returns the milliseconds that it took. */
  stop(): Promise<number>;
}

export async function startService({ onSpawn, ...start }: Start & { onSpawn(kill: () => Promise<void>): void }) {
  const { database, port = await freePort() } = start;
  const began = performance.now();
  lendRenderings(database.dataDir);
  const child = endsWithUs(spawnService(start, port));
  const ended = once(child, 'exit');
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  };
  onSpawn(kill);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => {
      output += text;
    });
  }
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, { child, output: () => output });
  const readyAfter = Math.round(performance.now() - began);
  keepRenderings(database.dataDir);
  const service: Service = {
    url,
    port,
    pid: child.pid ?? 0,
    readyAfter,
    memory: () => memoryOf(child.pid),
    output: () => output,
    kill,
    async stop() {
      const from = performance.now();
      child.kill('SIGTERM');
      await ended;
      return Math.round(performance.now() - from);
    },
  };
  return service;
}

function spawnService({ database, settings, folder = project, nodeOptions = [] }: Start, port: number) {
  return spawn(process.execPath, [...nodeOptions, join(folder, 'bin', 'serve.mjs')], {
    cwd: database.dataDir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environmentOf(database, settings), PORT: String(port) },
  });
}

async function untilReady(url: string, { child, output }: { child: ChildProcess; output(): string }): Promise<void> {
  const deadline = performance.now() + minutes(1);
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Broken(`a node does not start: ${output().trim().slice(0, 120)}`);
    await pause(10);
  }
}

/** Whether the service takes requests, by its own word. */
export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

function memoryOf(pid: number | undefined) {
  if (process.platform !== 'linux') return { now: 0, peak: 0 };
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
