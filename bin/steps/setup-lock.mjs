import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { inProject } from './places.mjs';

const lock = inProject('dist', 'setup.lock');
/** Milliseconds. A holder that stops renewing its lock was killed, or its machine was. */
const renewal = 1000;
const expiry = 60 * renewal;

/**
 * Runs work while no other process installs or builds in this folder.
 * @param {() => Promise<void>} work
 */
export async function alone(work) {
  mkdirSync(inProject('dist'), { recursive: true });
  for (let told = false; !take(); await pause(renewal / 4)) {
    if (!told) console.log('Another npm command is installing or building here; waiting …');
    told = true;
  }
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  const renew = setInterval(renewLock, renewal);
  try {
    await work();
  } finally {
    clearInterval(renew);
    process.off('exit', release);
    release();
  }
}

function renewLock() {
  try {
    utimesSync(lock, new Date(), new Date());
  } catch {
    // Someone has removed `dist`: the work can still succeed.
  }
}

function take() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned() {
  try {
    if (Date.now() - statSync(lock).mtimeMs > expiry) return true;
    const holder = Number(readFileSync(lock, 'utf8'));
    // The holder has created the file, but not yet written to it.
    return holder > 0 && !isRunning(holder);
  } catch {
    // Released meanwhile.
    return false;
  }
}

function isRunning(/** @type {number} */ pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
