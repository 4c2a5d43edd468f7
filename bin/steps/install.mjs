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

/** Whether node_modules contains the packages of package-lock.json: those of the service, or also those of the tests. */
export function isInstalled(/** @type {boolean} */ everything) {
  if (!existsSync(pinnedNode)) return false;
  const installed = packagesIn(inProject('node_modules', '.package-lock.json'));
  return Object.entries(packagesIn(inProject('package-lock.json'))).every(([path, wanted]) => {
    // Optional packages may be for other systems, and npm may have skipped them.
    if (path === '' || wanted.optional || wanted.devOptional) return true;
    if (wanted.dev && !everything) return true;
    return installed[path]?.version === wanted.version;
  });
}

/** Installs the packages of package-lock.json. Throws an error whose message says how to fix the problem. */
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
    return 'The packages could not be downloaded: the npm registry is unreachable. Check the network (or npm’s proxy and registry settings) and try again.';
  }
  if (/ENOSPC/.test(output)) return 'The packages do not fit on the disk. Free some space and try again.';
  if (/EACCES|EPERM/.test(output))
    return 'The packages could not be written: this user lacks permission to write to the folder node_modules.';
  return 'The packages could not be installed.';
}

/** The npm that called this program, with its Node; otherwise the npm on the PATH. */
function findNpm() {
  const cli = process.env.npm_execpath ?? '';
  if (/npm-cli\.c?js$/.test(cli))
    return { command: process.env.npm_node_execpath ?? process.execPath, args: [cli], shell: false };
  // On Windows, npm is a script that only a shell can start.
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

/**
 * Windows cannot delete a running program, only move it, and this may be the pinned Node itself. Also deletes the one
 * that was moved last time.
 */
function freeRunningNode() {
  if (process.platform !== 'win32' || process.execPath !== pinnedNode) return;
  const aside = inProject('replaced-node.log');
  rmSync(aside, { force: true });
  renameSync(pinnedNode, aside);
}
