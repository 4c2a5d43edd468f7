// Starts the bundled service with Node's compile cache: ready in half the time, with less than two thirds of the memory.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeTrouble } from './steps/pinned-node.mjs';
import { inProject, pinnedNode, root } from './steps/places.mjs';
import { stopSelf, watchParent } from './steps/process.mjs';
import { startVariables } from './steps/required-settings.mjs';

/**
 * Measurements: docs/decisions/service.md, 0015. SIGUSR1, which log rotation may send, would open Node's debugger to every
 * local user.
 */
const flags = ['--max-semi-space-size=2', '--heap-growing-percent=30', '--disable-sigusr1'];
const environment = {
  // libuv has four threads on every machine: password hashes must not block file access and DNS lookups.
  UV_THREADPOOL_SIZE: String(availableParallelism() + 4),
  // glibc would keep a heap for each of these threads.
  MALLOC_ARENA_MAX: '2',
};

const server = inProject('dist', 'server', 'server.js');

// One sentence instead of a stack.
const trouble = whyNot();
if (trouble) {
  console.error(trouble);
  process.exit(1);
}

function whyNot() {
  if (!existsSync(pinnedNode) || !existsSync(server)) return `Vestibule is not built: run \`npm run build\` in ${root}`;
  if (Number.parseInt(process.versions.node, 10) >= 26) return undefined;
  return nodeTrouble() ?? `Node ${process.versions.node} is too old for the service. Run this file with ${pinnedNode}`;
}

// Node reads the flags and some variables at startup, so restart it within the same process. Windows cannot, and runs without.
if (process.platform !== 'win32' && !flags.every((flag) => process.execArgv.includes(flag))) {
  const command = [process.execPath, ...process.execArgv, ...flags, fileURLToPath(import.meta.url)];
  process.execve?.(process.execPath, command, { ...environment, ...startVariables(''), ...process.env });
}

module.enableCompileCache(inProject('node_modules', '.cache', 'compiled'));
// Only the owner can read new files, which include keys and emails.
process.umask(0o077);
process.env.UV_THREADPOOL_SIZE ??= environment.UV_THREADPOOL_SIZE;
const compileOnly = '--compile-only';
const isCompiler = process.argv.includes(compileOnly);
if (!isCompiler) compileBeforehand();
await import(pathToFileURL(server).href);
module.flushCompileCache();
if (isCompiler) process.exit();

/** Fills the compile cache in another process: the memory that V8 needs to compile the bundle never becomes free again. */
function compileBeforehand() {
  const folder = module.getCompileCacheDir();
  if (folder === undefined) return;
  const marker = join(folder, 'compiled-server');
  const { mtimeMs, size } = statSync(server);
  const build = `${mtimeMs} ${size}`;
  try {
    if (existsSync(marker) && readFileSync(marker, 'utf8') === build) return;
    const args = [...process.execArgv, fileURLToPath(import.meta.url), compileOnly];
    const { status } = spawnSync(process.execPath, args, { stdio: 'ignore', timeout: 60_000 });
    if (status === 0) writeFileSync(marker, build);
  } catch {
    // The folder belongs to another user: this process compiles the bundle itself.
  }
}

// npm does not forward signals: exit when npm is gone.
if (process.env.npm_lifecycle_event === 'start') {
  const hasParentEnded = watchParent();
  const watch = setInterval(() => {
    if (!hasParentEnded()) return;
    // A second signal would end the process in the middle of its work.
    clearInterval(watch);
    stopSelf();
  }, 500).unref();
}
