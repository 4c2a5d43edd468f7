import type { Kysely } from 'kysely';
import * as baseline from './migrations/0001-baseline.ts';
import * as deliveryQueue from './migrations/0230-delivery-queue.ts';

export interface Migration {
  /** Runs in a transaction. On PostgreSQL it neither reads nor changes the rows of a table that can be large. */
  // biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
  up?(db: Kysely<any>): Promise<void>;
  /**
   * Runs after `up`; on PostgreSQL outside a transaction, while nodes work (`migrations/online.ts`). After an
   * interruption it runs again from its beginning.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  upOnline?(db: Kysely<any>): Promise<void>;
  /** Versions that know this migration keep working after the new one. */
  readonly oldestCode: string;
  /** Earlier migrations: on a database that has all of them, `adapt` runs instead of `up`. */
  readonly replaces?: {
    readonly names: readonly string[];
    // biome-ignore lint/suspicious/noExplicitAny: as above
    adapt(db: Kysely<any>): Promise<void>;
  };
}

export type Migrations = Readonly<Record<string, Migration>>;

/** Run in the order of their names, forward only: never change a released migration. */
export const migrations: Migrations = {
  '0001-baseline': baseline,
  '0230-delivery-queue': deliveryQueue,
};

/** Whether code with these migrations may use a database that requires one that is called `floor`. */
export function mayUse(floor: string, steps = migrations): boolean {
  const replaced = Object.values(steps).flatMap(({ replaces }) => replaces?.names ?? []);
  return replaced.includes(floor) || floor <= newestOf(steps);
}

export const newestOf = (steps: Migrations): string => Object.keys(steps).toSorted().at(-1) ?? '';
