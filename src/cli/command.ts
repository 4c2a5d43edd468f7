import type { ParseArgsOptionsConfig } from 'node:util';
import type { Store } from '../store/database.ts';

/** One thing that an operator can ask for. */
export interface Command {
  /** Its words, such as `promo add`. */
  readonly name: readonly string[];
  readonly usage: string;
  readonly summary: string;
  readonly options?: ParseArgsOptionsConfig;
  run(call: {
    readonly store: Store;
    readonly now: number;
    readonly positionals: readonly string[];
    readonly options: Readonly<Record<string, unknown>>;
  }): Promise<{ readonly text: string; readonly data: object }>;
}

/** The command cannot be carried out as it was written; its message says how it is meant. Exit code 2. */
export class UsageError extends Error {}
