import type { Engine } from '../../src/store/database.ts';
import type { Databases, FreshDatabase } from './databases.ts';
import { type Service, type Start, startService } from './service.ts';

/** How often a scene with random points plays them, unless told otherwise. */
export const usualPoints = 20;

export interface PlayOptions {
  readonly points?: number;
}

/** What a scene is played on: whatever it opens ends with it. */
export interface Stage extends PlayOptions {
  fresh(engine: Engine): Promise<FreshDatabase>;
  /** The service as `npm start` runs it, in a process of its own, once it is ready. */
  start(start: Start): Promise<Service>;
  /** To be called when the scene is over, the last one first. */
  atEnd(close: () => unknown): void;
}

export function openStage(
  databases: Databases,
  options: PlayOptions,
): { readonly stage: Stage; close(): Promise<void> } {
  const closing: (() => unknown)[] = [];
  const atEnd = (close: () => unknown) => closing.push(close);
  const stage: Stage = {
    ...options,
    fresh: (engine) => databases.fresh(engine),
    atEnd,
    async start(start) {
      const service = await startService({ ...start, onSpawn: (kill) => atEnd(kill) });
      return service;
    },
  };
  return {
    stage,
    async close() {
      for (const one of closing.reverse()) await one();
    },
  };
}
