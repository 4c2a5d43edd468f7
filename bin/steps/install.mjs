import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { inProject, nodePackage, pinnedNode, root } from './places.mjs';
import { Interrupted, runToEnd } from './process.mjs';

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {string | string[]} [libc]
 */

/** @returns {Record<string, LockedPackage>} */
function packagesIn(/** @type {string} */ lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
}

/** Whether node_modules contains the packages of package-lock.json: those of the service, or also those of the tests. */
export const isInstalled = (/** @type {boolean} */ everything) =>
  existsSync(pinnedNode) && missing(everything).length === 0;

/** The packages that this system needs and npm has not installed. */
function missing(/** @type {boolean} */ everything) {
  const installed = packagesIn(inProject('node_modules', '.package-lock.json'));
  return Object.entries(packagesIn(inProject('package-lock.json')))
    .filter(([path, wanted]) => path !== '' && (everything || !wanted.dev) && isForThisSystem(wanted))
    .filter(([path, wanted]) => installed[path]?.version !== wanted.version)
    .map(([path]) => path.slice('node_modules/'.length));
}

/** Optional packages are for some systems only; npm skips those that name none together with the package that needs them. */
function isForThisSystem(/** @type {LockedPackage} */ { optional, devOptional, os, cpu, libc }) {
  if (!optional && !devOptional) return true;
  if (os === undefined && cpu === undefined) return false;
  const fits = (/** @type {string | string[] | undefined} */ named, /** @type {string} */ own) =>
    named === undefined || [named].flat().includes(own);
  // The pinned Node for Linux requires glibc.
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc');
}

/**
 * Installs the packages of package-lock.json. Rejects with an error whose message says how to fix the problem. On Ctrl+C it
 * waits for npm, which would otherwise still write while the next installation begins.
 */
export async function install(/** @type {boolean} */ everything) {
  freeRunningNode();
  const npm = findNpm();
  const { status, signal, output } = await runToEnd(
    npm.command,
    [
      ...npm.args,
      'ci',
      ...(everything ? ['--include=dev'] : ['--omit=dev']),
      '--include=optional',
      '--loglevel=error',
      '--no-audit',
      '--no-fund',
      '--fetch-retries=2',
      '--fetch-retry-mintimeout=1000',
      '--fetch-retry-maxtimeout=5000',
    ],
    { cwd: root, shell: npm.shell, stdio: ['ignore', 'ignore', 'pipe'] },
  ).catch((/** @type {Error} */ error) => {
    throw new Error(`npm could not be started (${error.message}). Install Node.js with npm from https://nodejs.org.`);
  });
  if (signal === 'SIGINT' || signal === 'SIGTERM' || status === 130) throw new Interrupted();
  if (signal)
    throw new Error(
      `npm was ended by ${signal}${signal === 'SIGKILL' ? ': there is probably not enough memory' : ''}.`,
    );
  if (status !== 0) throw new Error(`${adviceFor(output)}\n\nnpm said:\n${output.trim()}`);
  const absent = nodePackage ? missing(everything) : [];
  if (absent.length > 0)
    throw new Error(
      `npm left out packages that this system needs (${absent.join(', ')}). Update npm (npm install --global npm) and try again.`,
    );
}

const noConnection =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT/;

function adviceFor(/** @type {string} */ output) {
  if (noConnection.test(output)) {
    return 'The packages could not be downloaded: the npm registry is unreachable. Check the network (or npm’s proxy and registry settings) and try again.';
  }
  if (/ENOSPC/.test(output)) return 'The packages do not fit on the disk. Free some space and try again.';
  if (/EACCES|EPERM/.test(output) && /[\\/]\.npm[\\/]|_cacache|npm-cache/.test(output))
    return 'npm cannot write to its own cache, probably because it once ran as another user. Give the folder back to this user (sudo chown -R $(id -u) ~/.npm) and try again.';
  if (/EACCES|EPERM/.test(output))
    return 'The packages could not be written: this user lacks permission to write to the folder node_modules.';
  if (/ENOTEMPTY/.test(output))
    return 'Another program writes to the folder node_modules. End it (perhaps another npm), delete node_modules, and try again.';
  if (/Unexpected end of JSON|EINTEGRITY|Z_BUF_ERROR|TAR_BAD_ARCHIVE/.test(output))
    return 'A download was cut off. Try again; if that does not help, empty npm’s cache (npm cache clean --force).';
  return 'The packages could not be installed.';
}

/** The npm that called this program, with its Node; otherwise the npm on the PATH. */
export function findNpm() {
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
