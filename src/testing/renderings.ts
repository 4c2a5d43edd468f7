import { join } from 'node:path';

/** Pages depend on the build and the settings alone, so whoever opens a node or a process shares their rendering. */
export const renderings = join(import.meta.dirname, '..', '..', 'dist', 'test');
