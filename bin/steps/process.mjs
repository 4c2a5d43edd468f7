import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { watchParent } from './parent.mjs';

const { signals } = constants;

/**
 * @typedef {object} Exit
 * @property {number} status  as a shell reports it: 128 and the signal's number after a signal
 * @property {NodeJS.Signals | null} signal
 * @property {string} output  stderr, if it is piped
 */

/**
 * Runs a program to its end. Ctrl+C also reaches the program, which ends by itself; other signals are passed on.
 * Rejects if the program cannot be started.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { untilParentEnds?: boolean }} options
 * @returns {Promise<Exit>}
 */
export function runToEnd(command, args, { untilParentEnds = false, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    const wait = () => undefined;
    const passOn = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
    process.on('SIGINT', wait).on('SIGTERM', passOn).on('SIGHUP', passOn);
    const hasParentEnded = watchParent();
    const watch = setInterval(() => {
      if (!untilParentEnds || !hasParentEnded()) return;
      // Programs finish their work after the first signal, and a second one would end them.
      clearInterval(watch);
      child.kill('SIGTERM');
    }, 500);
    const settle = () => {
      clearInterval(watch);
      process.off('SIGINT', wait).off('SIGTERM', passOn).off('SIGHUP', passOn);
    };
    let output = '';
    child.stderr?.on('data', (text) => {
      output += text;
    });
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code, signal) => {
      settle();
      resolve({ status: code ?? 128 + (signal ? signals[signal] : 0), signal, output });
    });
  });
}
