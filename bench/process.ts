import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { minutes } from '../src/contract/units.ts';

/** A server in a separate process, so that its figures exclude the load generator. */
export interface Server {
  readonly url: string;
  /** Milliseconds from its start to its first response. */
  readonly readyAfter: number;
  /** MB that its process holds in memory. */
  memory(): number;
  /** Milliseconds of processor time since it started. */
  cpu(): number;
  stop(): Promise<void>;
}

interface Start {
  readonly url: string;
  readonly module: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Path that responds with 200 once the server works. */
  readonly probe: string;
}

/** Starts a server and waits until it responds. `BENCH_CPUS=0` pins it to processors, if the machine has `taskset`. */
export async function startServer({ url, module, args = [], env, cwd, probe }: Start): Promise<Server> {
  const { BENCH_CPUS } = process.env;
  const command = [...(BENCH_CPUS ? ['taskset', '-c', BENCH_CPUS] : []), process.execPath, module, ...args];
  const began = performance.now();
  const child = spawn(command[0] as string, command.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  while (!(await answers(url + probe))) {
    if (child.exitCode !== null || performance.now() - began > minutes(1)) {
      child.kill();
      throw new Error(`${module} does not start: ${Buffer.concat(errors).toString().slice(0, 2000)}`);
    }
    await pause(5);
  }
  return { url, readyAfter: performance.now() - began, ...watch(child) };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK']));

function watch(child: ChildProcess): Omit<Server, 'url' | 'readyAfter'> {
  const { pid } = child;
  return {
    memory() {
      const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kilobytes) / 1024;
    },
    cpu() {
      // The 14th and 15th field, counted from the end of the name, which may contain spaces (proc(5)).
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
