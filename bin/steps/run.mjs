import { spawn } from 'node:child_process';
import { pinnedNode, root } from './places.mjs';

/**
 * @typedef {object} Ended
 * @property {boolean} passed
 * @property {string} output  what it printed, errors too
 * @property {number} seconds
 */

const limit = 8 * 60 * 1000;

/**
 * Runs a script under the pinned Node and keeps what it prints; one that hangs is ended after eight minutes.
 * @returns {Promise<Ended>}
 */
export function run(/** @type {readonly string[]} */ args) {
  const begun = performance.now();
  return new Promise((resolve) => {
    const child = spawn(pinnedNode, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limit,
    });
    let output = '';
    const keep = (/** @type {Buffer} */ text) => {
      output += text;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (/** @type {boolean} */ passed) =>
      resolve({ passed, output, seconds: (performance.now() - begun) / 1000 });
    child.on('error', (error) => {
      output += error.message;
      end(false);
    });
    child.on('close', (code, signal) => {
      if (signal) output += `\nended by ${signal}`;
      end(code === 0);
    });
  });
}
