import { spawn } from 'node:child_process';
import { constants } from 'node:os';

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

/** The user interrupted a step (Ctrl+C), which needs no message. */
export class Interrupted extends Error {}

/**
 * Whether a process still runs. A process of another user counts as running.
 * @param {number} pid
 */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

/**
 * Returns a function that says whether the parent of this process has ended. Elsewhere, the process then gets another
 * parent; on Windows it keeps the number of the former one.
 */
export function watchParent() {
  const parent = process.ppid;
  return () => process.ppid !== parent || !isRunning(parent);
}

/** Stops this process as SIGTERM does. On Windows, a signal would end it without its handlers. */
export function stopSelf() {
  if (process.platform === 'win32' && process.emit('SIGTERM', 'SIGTERM')) return;
  process.kill(process.pid, 'SIGTERM');
}
