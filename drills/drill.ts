import type { Stage } from './house/stage.ts';
import type { Row } from './table.ts';

/** A promise, and scenes on real servers that show whether it holds. */
export interface Drill {
  /** One sentence, as `npm run drill` lists it. */
  readonly promise: string;
  readonly scenes: readonly Scene[];
  /** How many scenes this machine can play side by side. */
  readonly atOnce: number;
  /** Mistakes that somebody could make in the product, each of which a scene has to notice: `npm run drill prove`. */
  readonly mutations: readonly Mutation[];
}

export interface Scene {
  readonly name: string;
  /** Milliseconds after which it hangs, two minutes unless given; what it opened is then closed. */
  readonly within?: number;
  play(stage: Stage): Promise<Row>;
}

/** A mistake in one line. */
export interface Mutation {
  /** What would be wrong, as a sentence without its full stop. */
  readonly mistake: string;
  /** From the project's folder, with `/`. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Name of a scene that notices. */
  readonly scene: string;
}

/** What a run of a drill showed, in total. */
export interface Run {
  readonly name: string;
  readonly promise: string;
  readonly scenes: number;
  readonly broken: number;
  readonly seconds: number;
}
