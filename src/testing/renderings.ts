import { join } from 'node:path';

/** Rendered pages and assets depend on the build and the settings alone, so all nodes and processes share them. */
export const renderings = join(import.meta.dirname, '..', '..', 'dist', 'test');
