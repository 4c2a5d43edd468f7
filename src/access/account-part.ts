import type * as z from 'zod/mini';
import type { Outdated } from '../store/clean-up.ts';
import type { Store, StoreTransaction } from '../store/database.ts';
import type { Ends } from './shut-out-causes.ts';

export interface PartialShutOut {
  readonly accountId: string;
  readonly ends: Ends;
  /** Milliseconds since the epoch: what ends `since` was added then or later. */
  readonly since: number;
  readonly at: number;
}

/** One of the things that a part keeps, such as a computer. Times are ISO 8601. */
export type PartItem = Readonly<Record<string, string | null | readonly string[]>> & { readonly id: string };

/** Something that happened to a device, whose name `words` are; `until` is ISO 8601. */
export interface PartEvent {
  readonly id: string;
  readonly at: number;
  readonly code: string;
  readonly outcome: string;
  readonly params: { readonly words: string; readonly until?: string };
}

/**
 * What another wing, such as that of devices, keeps for an account. Foreign keys delete its rows with the account.
 * `server/wings.ts` lists the parts, and every decision receives the list.
 */
export interface AccountPart {
  /** Ends what belongs to it, in the caller's transaction, which holds the account. Returns how many things it removed. */
  shutOut(trx: StoreTransaction, shutOut: PartialShutOut): Promise<number>;
  /** What it adds to the export of an account. */
  readonly exports: {
    readonly shape: Readonly<Record<string, z.ZodMiniType>>;
    read(store: Store, accountId: string): Promise<Readonly<Record<string, unknown>>>;
  };
  /** What operators see of it, by name: `computers`, each with its `id`. */
  describe(store: Store, accountId: string): Promise<Readonly<Record<string, readonly PartItem[]>>>;
  /** What happened to it, the newest first, after the line with the id `before`. */
  happened(
    store: Store,
    page: { readonly accountId: string; readonly before: string | undefined; readonly limit: number },
  ): Promise<readonly PartEvent[]>;
  /** The page where a sign-in without a last place begins, as its path in English. */
  startPage(store: Store, accountId: string): Promise<string>;
  /** The owner's unread notifications and open alarms, which the menu counts. */
  countNews(store: Store, accountId: string): Promise<{ readonly unread: number; readonly alarms: number }>;
  /** Rows that a regular job deletes. */
  outdated(cleanUp: {
    readonly now: number;
    readonly config: { readonly RECORDS_RETENTION_DAYS: number };
  }): readonly Outdated[];
}

/** What every decision receives that ends, exports or cleans up an account. */
export interface WithParts {
  readonly parts: readonly AccountPart[];
}
