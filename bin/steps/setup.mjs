import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { install, isInstalled } from './install.mjs';
import { linkPinnedNode, machineTrouble, nodeTrouble } from './pinned-node.mjs';
import { inProject, pinnedNode, root } from './places.mjs';
import { Interrupted, isRunning, runToEnd } from './process.mjs';

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

const sources = ['src', 'build', 'bin/agent', 'bin/steps', 'bin/budget.mjs', 'vite.config.ts', 'package-lock.json'];
const products = ['dist/messages', 'dist/agent', 'dist/client', 'dist/prerender', 'dist/gallery', 'dist/server'];
const stampFile = inProject('dist', 'stamp');

/** Tests do not affect the build, and `ids.ts` contains only a type that the build generates from en.po. */
const isSource = (/** @type {string} */ path) =>
  !/\.test\.tsx?$|[\\/]src[\\/]testing[\\/]|[\\/]src[\\/]messages[\\/]ids\.ts$/.test(path);

/** @returns {string[]} */
function filesIn(/** @type {string} */ path) {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap((entry) => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]));
  } catch {
    return [path];
  }
}

/** A digest of everything that the build reads: content only, because a checkout changes times. */
export function stampOfSources() {
  const digest = createHash('sha256');
  for (const path of sources.flatMap((source) => filesIn(inProject(source))).filter(isSource)) {
    digest.update(relative(root, path).split(sep).join('/')).update('\0').update(readFileSync(path)).update('\0');
  }
  return digest.digest('hex');
}

/** Whether the last build is complete and was made from these sources. */
export const isBuilt = (/** @type {string} */ stamp) =>
  products.every((product) => existsSync(inProject(product))) &&
  existsSync(stampFile) &&
  readFileSync(stampFile, 'utf8') === stamp;

/** Marks the build as incomplete. */
export const forgetBuild = () => rmSync(stampFile, { force: true });

const rememberBuild = (/** @type {string} */ stamp) => writeFileSync(stampFile, stamp);
