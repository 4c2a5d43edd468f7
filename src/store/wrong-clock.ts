import { type RawBuilder, sql } from 'kysely';
import { minutes } from '../contract/units.ts';

// Clocks can be wrong for a while: bad NTP, a restored machine. Once they are right again, times that were stored meanwhile
// lie in the future. Such a time must not lock, limit or delay anything for longer than it may last from now, and a proof
// or a secret from then does not work.

/** Clocks of nodes and databases may differ this much (ms). A time further ahead was written by a wrong clock. */
export const maxClockSkew = minutes(1);

interface Past {
  readonly now: number;
  readonly within: number;
}

/** Whether an event at this time (ms since the epoch) happened less than `within` ago. */
export const isRecent = (at: number, { now, within }: Past): boolean => at > now - within && at <= now + maxClockSkew;

/** The same as a condition on a column. */
export const recentIn = (column: RawBuilder<unknown>, { now, within }: Past): RawBuilder<boolean> =>
  sql<boolean>`(${column} > ${now - within} and ${column} <= ${now + maxClockSkew})`;

interface Lock {
  readonly now: number;
  /** The longest time (ms) that a lock may last. */
  readonly max: number;
}

/** Whether a lock with this end (ms since the epoch) still holds. */
export const isLocked = (until: number, { now, max }: Lock): boolean =>
  until > now && until <= now + max + maxClockSkew;

/** The same as a condition on a column. */
export const lockedIn = (column: RawBuilder<unknown>, { now, max }: Lock): RawBuilder<boolean> =>
  sql<boolean>`(${column} > ${now} and ${column} <= ${now + max + maxClockSkew})`;
