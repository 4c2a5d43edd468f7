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
