import { join } from 'node:path';

const project = join(import.meta.dirname, '..', '..');

/** Without this, each process that a test starts would spend half of its time compiling the same modules again. */
export const compileCache = { NODE_COMPILE_CACHE: join(project, 'node_modules', '.cache', 'compiled') };

/** Rendered pages and assets depend on the build and the settings alone, so all nodes and processes share them. */
export const renderings = join(project, 'dist', 'test');
