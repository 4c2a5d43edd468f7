import type { Stage } from './fixtures/stage.ts';
import type { Row } from './table.ts';

/** A promise, and scenes on real servers that show whether it holds. */
export interface Drill {
  /** One sentence, as `npm run drill` lists it. */
  readonly promise: string;
  readonly scenes: readonly Scene[];
  /** How many scenes this machine can play side by side. */
  readonly atOnce: number;
  /** Possible mistakes in the product; a scene must notice each of them: `npm run drill prove`. */
  readonly mutations: readonly Mutation[];
}

export interface Scene {
  readonly name: string;
  /** Milliseconds after which it counts as hung and its resources are closed; two minutes by default. */
  readonly within?: number;
  play(stage: Stage): Promise<Row>;
}

/** A mistake in one place of the product. */
export interface Mutation {
  /** The mistake, as a sentence without its full stop. */
  readonly mistake: string;
  /** The name in a comment `// mutation: <name>` above the code. */
  readonly place: string;
  readonly change: Change;
  /** Name of a scene that notices it, or the file of a test: `src/….test.ts`. */
  readonly scene: string;
}

/** Change of the marked code, which is one statement, property, element or link of a chain. */
export type Change =
  | 'remove'
  /** Replaces its first number. */
  | { readonly number: number }
  /** A word or a piece of text that occurs once in it, and its replacement. */
  | { readonly word: readonly [string, string] }
  /** Rewrites its condition, the value that it sets or returns, or the list that it iterates over. */
  | { readonly value: (written: string) => string }
  /** Inserts a statement before it. */
  | { readonly before: string };

/** The totals of one run of a drill. */
export interface Run {
  readonly name: string;
  readonly promise: string;
  readonly scenes: number;
  readonly broken: number;
  readonly seconds: number;
}
