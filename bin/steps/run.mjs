import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pinnedNode, root } from './places.mjs';

/**
 * @typedef {object} Ended
 * @property {boolean} passed
 * @property {string} output  stdout and stderr
 * @property {number} seconds
 */

/** Milliseconds after which a script counts as hanging and is killed. Generous, because a busy machine is slow. */
const limit = 60 * 60 * 1000;

/**
 * Runs a script under the pinned Node and collects its output; also passes each line to `tell` as it arrives.
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, tell?: (line: string) => void }} [options]
 * @returns {Promise<Ended>}
 */
export function run(args, { env, tell } = {}) {
  const begun = performance.now();
  return new Promise((resolve) => {
    const child = spawn(pinnedNode, args, {
      cwd: root,
      env: { ...process.env, ...env, NO_COLOR: '1', FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limit,
    });
    /** @type {string[]} */
    const lines = [];
    const keep = (/** @type {string} */ line) => {
      lines.push(line);
      tell?.(line);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', keep);
    const end = (/** @type {boolean} */ passed) =>
      resolve({ passed, output: lines.join('\n'), seconds: (performance.now() - begun) / 1000 });
    child.on('error', (error) => {
      lines.push(error.message);
      end(false);
    });
    child.on('close', (code, signal) => {
      if (signal) lines.push(`ended by ${signal}`);
      end(code === 0);
    });
  });
}
