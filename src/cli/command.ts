import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config } from '../server/settings/config.ts';
import type { Store } from '../store/database.ts';

/** The output of a command: text for people, data for programs (`--json`). */
export interface CommandResult {
  readonly text: string;
  readonly data: object;
  /** The command ran, but its result is a failure: exit code 1. */
  readonly failed?: boolean;
}

interface Words {
  /** The words of the command, such as `promo add`. */
  readonly name: readonly string[];
  readonly usage: string;
  readonly summary: string;
  readonly options?: ParseArgsOptionsConfig;
}

/** The operator's environment with an `.env` file. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface CommandInput {
  readonly environment: Environment;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The folder that file names are relative to: the operator's working directory. */
  readonly folder: string;
}

/** A command that receives an open, migrated database. */
export interface StoreCommand extends Words {
  run(call: CommandInput & { readonly store: Store; readonly config: Config }): Promise<CommandResult>;
}

/** A command that must work even if settings or the database are broken. */
export interface BareCommand extends Words {
  runBare(call: CommandInput): Promise<CommandResult>;
}

/** A command of `vestibule`. */
export type Command = StoreCommand | BareCommand;

/** Invalid arguments; the message shows the correct usage. Exit code 2. */
export class UsageError extends Error {}
