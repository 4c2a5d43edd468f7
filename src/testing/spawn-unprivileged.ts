import { type SpawnSyncOptions, spawnSync } from 'node:child_process';

/**
 * Runs a program of the project like an ordinary user, whom file modes restrict. Root keeps its id but loses its
 * capabilities (`setpriv` of util-linux): another user may be unable to enter the folder of the project.
 */
export function spawnUnprivileged(args: readonly string[], options: SpawnSyncOptions) {
  const isRoot = process.getuid?.() === 0;
  const restrict = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
  const [command, ...words] = [...(isRoot ? restrict : []), process.execPath, ...args] as [string, ...string[]];
  const run = spawnSync(command, words, { ...options, encoding: 'utf8' });
  if (run.error) throw run.error;
  return run;
}
