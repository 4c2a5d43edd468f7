import { join } from 'node:path';
import { isBuilt, stampOfSources } from '../../bin/steps/stamp.mjs';

let current: boolean | undefined;

/** Whether the build is of these sources: somebody may have changed them since, to see what a test says. */
export function isBuildCurrent(): boolean {
  current ??= isBuilt(stampOfSources());
  return current;
}

/** As operators run it: ready with a fourth of the work. */
export const builtProgram = (name: 'server' | 'vestibule'): string =>
  join(import.meta.dirname, '..', '..', 'dist', 'server', `${name}.js`);
