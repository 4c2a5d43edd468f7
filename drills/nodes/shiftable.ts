import { join } from 'node:path';

/** How a service is started so that its machine's clock can be put. */
export const shiftable = {
  nodeOptions: ['--import', join(import.meta.dirname, '..', 'house', 'shifted-clock.ts')],
} as const;
