import { type Expression, sql } from 'kysely';
import { hours, minutes, seconds } from '../../contract/durations.ts';
import type { Store } from '../database.ts';
import { type Placeholders, prepared, preparedWith } from '../prepared.ts';

/**
 * Failed sign-ins of one key (an e-mail address, known or not, or a known device's own lane).
 * An attempt is pending from before its hash is computed until its outcome is known, and pending attempts use up the
 * allowance like failures do: so parallel guesses cannot pass, and parallel right answers wait instead of failing.
 */
export interface LockoutsTable {
  key: string;
  failures: number;
  pending: number;
  pending_since: number;
  locked_until: number;
  last_failure_at: number;
}

declare module '../database.ts' {
  interface Database {
    lockouts: LockoutsTable;
  }
}

// mutation: one-more-guess
const allowedFailures = 5;
// mutation: lockout-of-a-day
const lockSteps = [minutes(1), minutes(2), minutes(4), minutes(8), minutes(15)];
const forgottenAfter = hours(12);
/** A pending attempt whose outcome never came (its node died) counts as failed after this. */
const abandonedAfter = seconds(30);

export type Reservation =
  | { readonly state: 'reserved' }
  | { readonly state: 'locked'; readonly until: number }
  /** Other attempts of this key are pending and their outcomes decide: ask again in a moment. */
  | { readonly state: 'wait' };

const locksOf = prepared((store, key: Expression<string>) =>
  store.selectFrom('lockouts').select('locked_until').where('key', '=', key),
);

/** When the key's lock opens, or 0 while it is open. */
export async function lockedUntil(store: Store, key: string, now: number): Promise<number> {
  const [row] = await locksOf(store, key);
  return row && row.locked_until > now ? row.locked_until : 0;
}

interface SignInAttempt {
  readonly key: string;
  readonly now: number;
  /** What has been pending since before this is abandoned, and failures before that are forgotten. */
  readonly abandonedBefore: number;
  readonly forgottenBefore: number;
}

// mutation: unlimited-pending-guesses
const attemptsReserved = preparedWith(
  (_store, { key, now, abandonedBefore, forgottenBefore }: Placeholders<SignInAttempt>) => {
    const abandoned = sql`(case when lockouts.pending > 0 and lockouts.pending_since <= ${abandonedBefore} then lockouts.pending else 0 end)`;
    const failures = sql`((case when lockouts.last_failure_at <= ${forgottenBefore} then 0 else lockouts.failures end) + ${abandoned})`;
    const pending = sql`(lockouts.pending - ${abandoned})`;
    return sql`
    insert into lockouts (key, failures, pending, pending_since, locked_until, last_failure_at)
    values (${key}, 0, 1, ${now}, 0, 0)
    on conflict (key) do update set failures = ${failures}, pending = ${pending} + 1, pending_since = ${now}
    where lockouts.locked_until <= ${now} and (${pending} = 0 or ${failures} + ${pending} < ${sql.lit(allowedFailures)})
    returning key`;
  },
);

/** Counts an attempt as pending, unless the key is locked or its allowance is used up. Atomic on both engines. */
export async function reserveAttempt(store: Store, key: string, now: number): Promise<Reservation> {
  const attempt = { key, now, abandonedBefore: now - abandonedAfter, forgottenBefore: now - forgottenAfter };
  if ((await attemptsReserved(store, attempt)).length > 0) return { state: 'reserved' };
  const until = await lockedUntil(store, key, now);
  return until > 0 ? { state: 'locked', until } : { state: 'wait' };
}

const attemptsFailed = preparedWith((_store, { key, now }: Placeholders<Pick<SignInAttempt, 'key' | 'now'>>) => {
  const steps = lockSteps.map((step, at) => sql`when ${sql.lit(allowedFailures + at)} then ${sql.lit(step)}`);
  return sql<{ locked_until: number }>`
    update lockouts set
      failures = failures + 1,
      pending = case when pending > 0 then pending - 1 else 0 end,
      last_failure_at = ${now},
      locked_until = case when failures + 1 < ${sql.lit(allowedFailures)} then locked_until else
        cast(${now} as bigint) + case failures + 1 ${sql.join(steps, sql` `)} else ${sql.lit(lockSteps.at(-1))} end end
    where key = ${key} returning locked_until`;
});

/** The attempt was wrong: it counts, and from the fifth failure on the key is locked. Returns the lock's end, or 0. */
export const attemptFailed = async (store: Store, key: string, now: number): Promise<number> =>
  (await attemptsFailed(store, { key, now }))[0]?.locked_until ?? 0;

/** The attempt was right: its key begins anew. */
export const attemptSucceeded = prepared((store, key: Expression<string>) =>
  store
    .updateTable('lockouts')
    .set({
      failures: 0,
      locked_until: 0,
      pending: sql`case when pending > 0 then pending - 1 else 0 end`,
    })
    .where('key', '=', key),
);

/** The attempt was never decided (the gate was full): it does not count. */
export const attemptWithdrawn = prepared((store, key: Expression<string>) =>
  store
    .updateTable('lockouts')
    .set({ pending: sql`case when pending > 0 then pending - 1 else 0 end` })
    .where('key', '=', key),
);

/** The lock of an address, known or not; by its hash, since it may be anything that somebody typed. */
export const addressLock = (emailHash: string): string => `email:${emailHash}`;

/** The lock of a device that has signed in to the account before: no stranger can close it. */
export const deviceLock = (accountId: string, deviceHash: string): string => `device:${accountId}:${deviceHash}`;

/** Of whoever is signed in: they have as few guesses as at the door, and a stranger's there do not close this one. */
export const passwordLock = (accountId: string): string => `password:${accountId}`;

/** A reset password opens the door for its owner at once, whichever known device they come with: before those are forgotten. */
export async function unlock(
  store: Store,
  { emailHash, accountId }: { emailHash: string; accountId: string },
): Promise<void> {
  const devices = await store.selectFrom('devices').select('token_hash').where('account_id', '=', accountId).execute();
  const keys = [addressLock(emailHash), ...devices.map((device) => deviceLock(accountId, device.token_hash))];
  // Key by key in one order: sign-ins at the same time take theirs one by one.
  for (const key of keys.sort()) await store.deleteFrom('lockouts').where('key', '=', key).execute();
}
