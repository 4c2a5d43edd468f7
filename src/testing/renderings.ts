import { join } from 'node:path';

/** Pages and assets depend on the build and the settings alone, so whoever opens a node or a process shares what is kept of them. */
export const renderings = join(import.meta.dirname, '..', '..', 'dist', 'test');
