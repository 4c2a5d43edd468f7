import { spawn, spawnSync } from 'node:child_process';
import { second } from './requests.mjs';

/** @import { Goodbye } from './requests.mjs' */

/** Seconds in which a computer is back from a restart, and the agent from one of its own, on a slow machine. */
const restartsWithin = 15 * 60;
const updatesWithin = 5 * 60;

/**
 * Why a stopping agent reports nothing more, with the text of the record.
 * @typedef {{ goodbye: Goodbye, text: string }} Reason
 */

/** The agent ends so that its service manager starts the new version; Windows takes a minute. */
export const ofUpdate = /** @type {Reason} */ ({
  goodbye: { reason: 'update', returns_in: restartsWithin },
  text: 'The agent is being updated.',
});

/**
 * Why the agent is stopped, with the text of the record. Only systemd tells; elsewhere, nobody announces to be back.
 * @returns {Reason}
 */
export function reasonOfStop() {
  const jobs = ofSystem(['list-jobs', '--no-legend']);
  if (/\b(?:reboot|soft-reboot|kexec)\.target\s+start/.test(jobs))
    return { goodbye: { reason: 'restart', returns_in: restartsWithin }, text: 'The computer is restarting.' };
  if (/\b(?:poweroff|halt|shutdown)\.target\s+start/.test(jobs))
    return { goodbye: { reason: 'shutdown' }, text: 'The computer was shut down.' };
  if (/\bvestibule-agent\.service\s+restart/.test(`${jobs}\n${ofSystem(['--user', 'list-jobs', '--no-legend'])}`))
    return { goodbye: { reason: 'update', returns_in: updatesWithin }, text: 'The agent is restarting.' };
  return { goodbye: { reason: 'stop' }, text: 'The agent was stopped.' };
}

function ofSystem(/** @type {string[]} */ words) {
  if (process.platform !== 'linux') return '';
  return spawnSync('systemctl', words, { encoding: 'utf8', timeout: 2 * second }).stdout ?? '';
}

/**
 * Calls `sleeps` before this computer is suspended, which waits for it a few seconds, and `wakes` after it (systemd’s
 * inhibitor locks, as GNOME and KDE use them). Without systemd or gdbus, it does nothing. Returns a function that ends it.
 * @param {{ sleeps: () => Promise<void>, wakes: () => void }} told
 */
export function watchSleep({ sleeps, wakes }) {
  if (process.platform !== 'linux') return () => undefined;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let lock;
  const hold = () => {
    // Ends with its input, even if the agent is killed.
    const words = [
      '--what=sleep',
      '--mode=delay',
      '--who=Vestibule agent',
      '--why=Reports that the computer sleeps',
      'cat',
    ];
    lock = spawn('systemd-inhibit', words, { stdio: ['pipe', 'ignore', 'ignore'] }).on('error', () => undefined);
    lock.stdin?.on('error', () => undefined);
  };
  const release = () => void lock?.stdin?.end();
  const place = ['--system', '--dest', 'org.freedesktop.login1', '--object-path', '/org/freedesktop/login1'];
  const monitor = spawn('gdbus', ['monitor', ...place], { stdio: ['ignore', 'pipe', 'ignore'] });
  monitor.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    if (/PrepareForSleep \(true/.test(text)) void sleeps().finally(release);
    if (/PrepareForSleep \(false/.test(text)) {
      wakes();
      hold();
    }
  });
  monitor
    .on('error', () => undefined)
    .on('spawn', hold)
    .on('close', () => {
      release();
      wakes();
    });
  return () => void monitor.kill();
}
