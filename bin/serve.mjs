// Starts the service as it was built into one file, with what Node compiled the last time: ready in half the time, in
// less than two thirds of the memory.
import module from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inProject, pinnedNode } from './steps/places.mjs';

/** Measured: docs/decisions/0015-one-file.md. */
const flags = ['--max-semi-space-size=2', '--heap-growing-percent=30'];
const environment = {
  // libuv has four threads, whatever the machine: hashes must not keep file and name look-ups waiting.
  UV_THREADPOOL_SIZE: String(availableParallelism() + 4),
  // glibc would keep a heap for each of these threads.
  MALLOC_ARENA_MAX: '2',
};

// Another Node, such as the machine's own, lacks what this is written for: one sentence instead of its stack.
if (Number.parseInt(process.versions.node, 10) < 26) {
  console.error(`Node ${process.versions.node} is too old. Run \`npm start\`, or this file with ${pinnedNode}`);
  process.exit(1);
}

// Node reads them when it begins, so it begins once more in the same process. Windows cannot, and does without.
if (process.platform !== 'win32' && !flags.every((flag) => process.execArgv.includes(flag))) {
  const command = [process.execPath, ...process.execArgv, ...flags, fileURLToPath(import.meta.url)];
  process.execve?.(process.execPath, command, { ...environment, ...process.env });
}

module.enableCompileCache(inProject('node_modules', '.cache', 'compiled'));
// Whatever is created is for its owner alone: keys and mails are among it.
process.umask(0o077);
process.env.UV_THREADPOOL_SIZE ??= environment.UV_THREADPOOL_SIZE;
await import(pathToFileURL(inProject('dist', 'server', 'server.js')).href);
module.flushCompileCache();

// npm does not pass signals on to what it runs: when it is gone, so are we.
if (process.env.npm_lifecycle_event === 'start') {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
