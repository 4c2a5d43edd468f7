import { join } from 'node:path';

/** Each process that a test starts would otherwise spend half of its time on compiling what others have compiled. */
export const compileCache = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'),
};
