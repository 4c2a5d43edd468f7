import type { Stage } from './fixtures/stage.ts';
import type { Row } from './table.ts';

/** A promise, and scenes on real servers that show whether it holds. */
export interface Drill {
  /** One sentence, as `npm run drill` lists it. */
  readonly promise: string;
  readonly scenes: readonly Scene[];
  /** How many scenes this machine can play side by side. */
  readonly maxConcurrent: number;
}

export interface Scene {
  readonly name: string;
  /** Milliseconds after which it counts as hung and its resources are closed; two minutes by default. */
  readonly within?: number;
  play(stage: Stage): Promise<Row>;
}

/** The totals of one run of a drill. */
export interface Run {
  readonly name: string;
  readonly promise: string;
  readonly scenes: number;
  readonly broken: number;
  readonly seconds: number;
}
