import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pinnedNode, root } from '../steps/places.mjs';

export interface Ended {
  readonly passed: boolean;
  /** Of stdout and stderr. */
  readonly output: string;
  readonly seconds: number;
  /** Why it ended, if it did not exit by itself with 0. */
  readonly reason?: string | undefined;
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the script when aborted; its reason is a phrase. */
  readonly stop: AbortSignal;
  /** Receives each line of output as it arrives. */
  readonly print?: (line: string) => void;
}

/** Milliseconds in which a script that is stopped can end what it has started, such as PostgreSQL. */
const grace = 20_000;

/** Runs a script under the pinned Node, in a process group of its own: Ctrl+C only reaches it through `stop`. */
export function run(args: readonly string[], { env, stop, print }: Options): Promise<Ended> {
  const begun = performance.now();
  const lines: string[] = [];
  return new Promise((resolve) => {
    const end = (reason?: string) =>
      resolve({
        ...{ passed: reason === undefined, output: lines.join('\n'), seconds: (performance.now() - begun) / 1000 },
        reason: stop.aborted ? String(stop.reason) : reason,
      });
    if (stop.aborted) return end('stopped');
    const child = spawn(pinnedNode, args, {
      cwd: root,
      env: { ...process.env, ...env, NO_COLOR: '1', FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    const killGroup = () => {
      try {
        if (child.pid) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
      } catch {
        // All of its processes have ended.
      }
    };
    const endChild = () => {
      child.kill('SIGTERM');
      setTimeout(killGroup, grace).unref();
    };
    stop.addEventListener('abort', endChild, { once: true });
    process.once('exit', killGroup);
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        lines.push(line);
        print?.(line);
      });
    child.once('error', (error) => lines.push(error.message));
    // Its own children would continue, and keep the pipes open.
    child.once('exit', (_code, signal) => (signal || stop.aborted) && killGroup());
    child.once('close', (code, signal) => {
      stop.removeEventListener('abort', endChild);
      process.off('exit', killGroup);
      const reason = signal ? `ended by ${signal}` : `ended with ${code}`;
      if (signal) lines.push(reason);
      end(code === 0 ? undefined : reason);
    });
  });
}
