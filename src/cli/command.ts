import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config } from '../server/config.ts';
import type { Store } from '../store/database.ts';

/** What a command tells: words for a person, data for a machine (`--json`). */
export interface Result {
  readonly text: string;
  readonly data: object;
  /** It was carried out, and what it found is bad: exit code 1. */
  readonly failed?: boolean;
}

interface Words {
  /** Its words, such as `promo add`. */
  readonly name: readonly string[];
  readonly usage: string;
  readonly summary: string;
  readonly options?: ParseArgsOptionsConfig;
}

interface CommandInput {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the names of files are relative to: where the operator stands. */
  readonly folder: string;
}

/** A command on the database, which is open and up to date. */
export interface StoreCommand extends Words {
  run(call: CommandInput & { readonly store: Store; readonly config: Config }): Promise<Result>;
}

/** A command that has to work although something is wrong. */
export interface BareCommand extends Words {
  runBare(call: CommandInput & { readonly environment: Readonly<Record<string, string | undefined>> }): Promise<Result>;
}

/** One thing that an operator can ask for. */
export type Command = StoreCommand | BareCommand;

/** The command cannot be carried out as it was written; its message says how it is meant. Exit code 2. */
export class UsageError extends Error {}
