import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { install, isInstalled } from './install.mjs';
import { linkPinnedNode, machineTrouble, nodeTrouble } from './pinned-node.mjs';
import { inProject, pinnedNode, root } from './places.mjs';
import { Interrupted, isRunning, runToEnd } from './process.mjs';
import { forgetBuild, isBuilt, rememberBuild, stampOfSources } from './stamp.mjs';

/**
 * @typedef {object} Needs
 * @property {boolean} everything  also the packages for tests
 * @property {boolean} built
 * @property {boolean} [afresh]  build even if the build is current
 * @property {() => void} [beforeWork]  throws if nothing should be installed or built
 */

/**
 * Installs missing packages and builds if the build is stale, and prints each step. Throws an error whose message says how to
 * fix the problem.
 * @param {Needs} needs
 */
export async function setUp({ everything, built, afresh = false, beforeWork }) {
  refuseOldNode();
  const isReady = () => isInstalled(everything) && (!built || isBuilt(stampOfSources()));
  if (!afresh && isReady()) return;
  beforeWork?.();
  refuseOddFolder();
  await alone(async () => {
    if (!isInstalled(everything)) await report('Installing packages (npm ci)', () => install(everything));
    const trouble = nodeTrouble();
    if (trouble) throw new Error(trouble);
    linkPinnedNode();
    if (built && (afresh || !isBuilt(stampOfSources()))) await report('Building', build);
  });
}

function refuseOldNode() {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= 20) return;
  throw new Error(`Node ${node} is too old to install Vestibule. Install Node 20 or newer from https://nodejs.org.`);
}

/** Vite takes both characters in a path for the query or the fragment of a URL. */
function refuseOddFolder() {
  const [odd] = /[#?]/.exec(root) ?? [];
  if (odd === undefined) return;
  throw new Error(`Vestibule cannot be built in a folder with “${odd}” in its path: move or rename ${root}`);
}

/** Runs work and prints how long it took. */
async function report(/** @type {string} */ what, /** @type {() => Promise<void>} */ work) {
  console.log(`${what} …`);
  const begun = performance.now();
  await work();
  console.log(`${what}: done in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

async function build() {
  // Computed before the build, so that a change during the build makes it stale.
  const stamp = stampOfSources();
  forgetBuild();
  const { status, signal } = await runToEnd(pinnedNode, [inProject('bin', 'steps', 'build.ts')], {
    cwd: root,
    stdio: 'inherit',
  });
  if (signal === 'SIGINT' || signal === 'SIGTERM') throw new Interrupted();
  if (signal) throw new Error(`The build was ended by ${signal}: ${reasonOf(signal)}`);
  if (status !== 0) throw new Error('The build failed: see above.');
  rememberBuild(stamp);
}

/** V8 aborts when its heap is full; the kernel kills when the memory is. */
function reasonOf(/** @type {NodeJS.Signals} */ signal) {
  const trouble = machineTrouble(`ended by ${signal === 'SIGABRT' ? 'SIGKILL' : signal}`);
  return trouble ? `${trouble}. It needs 1 GB.` : 'try again.';
}

const lock = inProject('dist', 'setup.lock');
/** Milliseconds. A holder that stops renewing its lock was killed, or its machine was. */
const renewal = 1000;
const expiry = 60 * renewal;

/**
 * Runs work while no other process installs or builds in this folder.
 * @param {() => Promise<void>} work
 */
async function alone(work) {
  mkdirSync(inProject('dist'), { recursive: true });
  for (let isAnnounced = false; !take(); await pause(renewal / 4)) {
    if (!isAnnounced) console.log('Another npm command is installing or building here; waiting …');
    isAnnounced = true;
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
