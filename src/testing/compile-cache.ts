import { join } from 'node:path';

/** Without this, each process that a test starts would spend half of its time compiling the same modules again. */
export const compileCache = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'),
};
