import type { Stage } from './fixtures/stage.ts';
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

/** A mistake in one place of the product. */
export interface Mutation {
  /** What would be wrong, as a sentence without its full stop. */
  readonly mistake: string;
  /** The name in a comment `// mutation: <name>` above the code. */
  readonly place: string;
  readonly change: Change;
  /** Name of a scene that notices, or the file of a test: `src/….test.ts`. */
  readonly scene: string;
}

/** How the marked code, which ends where its statement, property, element or link of a chain ends, becomes wrong. */
export type Change =
  | 'remove'
  /** Instead of its first number. */
  | { readonly number: number }
  /** A word or a piece of text that occurs once in it, and its replacement. */
  | { readonly word: readonly [string, string] }
  /** Its condition, the value that it sets or returns, or the list that it goes through; given as it is written. */
  | { readonly value: (written: string) => string }
  /** A statement that comes ahead of it. */
  | { readonly before: string };

/** What a run of a drill showed, in total. */
export interface Run {
  readonly name: string;
  readonly promise: string;
  readonly scenes: number;
  readonly broken: number;
  readonly seconds: number;
}
