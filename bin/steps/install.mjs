import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { inProject, pinnedNode, root } from './places.mjs';

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 */

/** @returns {Record<string, LockedPackage>} */
function packagesIn(/** @type {string} */ lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
}

/** Whether node_modules holds what package-lock.json names: for running the service, or for its tests too. */
export function isInstalled(/** @type {boolean} */ everything) {
  if (!existsSync(pinnedNode)) return false;
  const installed = packagesIn(inProject('node_modules', '.package-lock.json'));
  return Object.entries(packagesIn(inProject('package-lock.json'))).every(([path, wanted]) => {
    // Optional ones are for other machines, or npm could do without them.
    if (path === '' || wanted.optional || wanted.devOptional) return true;
    if (wanted.dev && !everything) return true;
    return installed[path]?.version === wanted.version;
  });
}

/** Installs what package-lock.json names. Throws an error whose message says what to do. */
export function install(/** @type {boolean} */ everything) {
  freeRunningNode();
  const npm = findNpm();
  const { status, stderr, error } = spawnSync(
    npm.command,
    [
      ...npm.args,
      'ci',
      ...(everything ? ['--include=dev'] : ['--omit=dev']),
      '--loglevel=error',
      '--no-audit',
      '--no-fund',
      '--fetch-retries=2',
      '--fetch-retry-mintimeout=1000',
      '--fetch-retry-maxtimeout=5000',
    ],
    { cwd: root, shell: npm.shell, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' },
  );
  if (error)
    throw new Error(`npm could not be started (${error.message}). Install Node.js with npm from https://nodejs.org.`);
  if (status !== 0) throw new Error(`${adviceFor(stderr)}\n\nnpm said:\n${stderr.trim()}`);
  if (!existsSync(pinnedNode)) {
    throw new Error(
      'npm did not run the install script of the package "node". Allow it (npm config: ignore-scripts=false) and try again.',
    );
  }
}

const noConnection =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT/;

function adviceFor(/** @type {string} */ output) {
  if (noConnection.test(output)) {
    return 'The packages could not be downloaded: the npm registry cannot be reached. Check the network (or npm’s proxy and registry settings) and try again.';
  }
  if (/ENOSPC/.test(output)) return 'The packages do not fit on the disk. Free some space and try again.';
  if (/EACCES|EPERM/.test(output))
    return 'The packages could not be written: this user may not change the folder node_modules.';
  return 'The packages could not be installed.';
}

/** The npm that called us, run by the Node that runs it; else the one on the path. */
function findNpm() {
  const cli = process.env.npm_execpath ?? '';
  if (/npm-cli\.c?js$/.test(cli))
    return { command: process.env.npm_node_execpath ?? process.execPath, args: [cli], shell: false };
  // Windows has npm as a script, which only a shell starts.
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

/**
 * On Windows a running program cannot be deleted, only moved aside, and we may be running on the pinned Node itself.
 * The one that was moved aside last time goes now.
 */
function freeRunningNode() {
  if (process.platform !== 'win32' || process.execPath !== pinnedNode) return;
  const aside = inProject('replaced-node.log');
  rmSync(aside, { force: true });
  renameSync(pinnedNode, aside);
}
