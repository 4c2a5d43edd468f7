import { sql } from 'kysely';
import { hours, minutes, seconds } from '../../contract/units.ts';
import { executeAsynchronously } from '../batching.ts';
import type { Store } from '../database.ts';
import { isLocked, lockedIn, recentIn } from '../wrong-clock.ts';

/**
 * Failed sign-ins by key: an email address, with or without an account, or a known device. An attempt is pending from
 * before its hash is computed until its outcome is known. Pending attempts use up the allowance as failures do, so
 * parallel guesses cannot exceed it, and parallel correct passwords wait instead of failing.
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

const allowedFailures = 5;
const lockSteps = [minutes(1), minutes(2), minutes(4), minutes(8), minutes(15)];
const longestLock = lockSteps.at(-1) as number;
const forgottenAfter = hours(12);
/** A pending attempt without an outcome (its node died) counts as failed after this time. */
const abandonedAfter = seconds(30);

export type Reservation =
  | { readonly state: 'reserved' }
  | { readonly state: 'locked'; readonly until: number }
  /** Other attempts of this key are pending and their outcomes decide: try again shortly. */
  | { readonly state: 'wait' };

/** When the key's lockout ends (ms since the epoch), or 0 if it is not locked. */
export async function lockedUntil(store: Store, key: string, now: number): Promise<number> {
  const row = await store.selectFrom('lockouts').select('locked_until').where('key', '=', key).executeTakeFirst();
  return lockEnd(row?.locked_until ?? 0, now);
}

/** The end of a lockout (ms since the epoch), or 0 if it is over. */
export const lockEnd = (until: number, now: number): number => (isLocked(until, { now, max: longestLock }) ? until : 0);

/** Whether a row of lockouts locks its key. */
export const isLockedOut = (now: number) => lockedIn(sql.ref('lockouts.locked_until'), { now, max: longestLock });

/** Counts an attempt as pending, unless the key is locked or out of allowance. Atomic on both engines. */
export async function reserveAttempt(store: Store, key: string, now: number): Promise<Reservation> {
  const abandoned = sql`(case when lockouts.pending > 0 and not ${recentIn(sql.ref('lockouts.pending_since'), { now, within: abandonedAfter })} then lockouts.pending else 0 end)`;
  const failures = sql`((case when ${recentIn(sql.ref('lockouts.last_failure_at'), { now, within: forgottenAfter })} then lockouts.failures else 0 end) + ${abandoned})`;
  const pending = sql`(lockouts.pending - ${abandoned})`;
  // A power cut ends the guesses themselves, so it may undo their reservations.
  const reserved = await executeAsynchronously(
    store,
    sql`
      insert into lockouts (key, failures, pending, pending_since, locked_until, last_failure_at)
      values (${key}, 0, 1, ${now}, 0, 0)
      on conflict (key) do update set failures = ${failures}, pending = ${pending} + 1, pending_since = ${now}
      where not ${isLockedOut(now)} and (${pending} = 0 or ${failures} + ${pending} < ${sql.lit(allowedFailures)})
      returning key`,
  );
  if (reserved.length > 0) return { state: 'reserved' };
  const until = await lockedUntil(store, key, now);
  return until > 0 ? { state: 'locked', until } : { state: 'wait' };
}

const onePendingLess = sql`case when pending > 0 then pending - 1 else 0 end`;

async function countFailure(store: Store, key: string, now: number) {
  const steps = lockSteps.map((step, at) => sql`when ${sql.lit(allowedFailures + at)} then ${sql.lit(step)}`);
  const { rows } = await sql<{ locked_until: number; failures: number }>`
    update lockouts set
      failures = failures + 1,
      pending = ${onePendingLess},
      last_failure_at = ${now},
      locked_until = case when failures + 1 < ${sql.lit(allowedFailures)} then locked_until else
        cast(${now} as bigint) + case failures + 1 ${sql.join(steps, sql` `)} else ${sql.lit(lockSteps.at(-1))} end end
    where key = ${key} returning locked_until, failures`.execute(store);
  return rows[0];
}

/**
 * Counts a failed attempt; from the fifth on, it locks the key. Returns the lockout's end (ms since the epoch), or 0.
 */
export const attemptFailed = async (store: Store, key: string, now: number): Promise<number> =>
  (await countFailure(store, key, now))?.locked_until ?? 0;

/** The same, and returns how many attempts are left before the key is locked. */
export async function attemptsLeftAfterFailure(store: Store, key: string, now: number): Promise<number> {
  const counted = await countFailure(store, key, now);
  return Math.max(0, allowedFailures - (counted?.failures ?? 0));
}

/** The attempt succeeded: resets its key. */
export const attemptSucceeded = (store: Store, key: string) =>
  sql`update lockouts set failures = 0, locked_until = 0, pending = ${onePendingLess} where key = ${key}`.execute(
    store,
  );

/** Withdraws an attempt without an outcome, so that it does not count. */
export const attemptWithdrawn = (store: Store, key: string) =>
  sql`update lockouts set pending = ${onePendingLess} where key = ${key}`.execute(store);

/** Lockout of an address, with or without an account; hashed, since it can be any text that someone typed. */
export const lockoutOfAddress = (emailHash: string): string => `email:${emailHash}`;

/** Lockout of a device that has signed in to the account before. Strangers cannot trigger it. */
export const lockoutOfDevice = (accountId: string, deviceHash: string): string => `device:${accountId}:${deviceHash}`;

/** Lockout of signed-in users: as few guesses as at sign-in, but strangers' guesses there do not trigger it. */
export const lockoutOfPassword = (accountId: string): string => `password:${accountId}`;

/**
 * Lockout of the second step, with a key of its own for each known device and for signed-in users (`by`): someone who knows
 * only the password must not lock out the owner there.
 */
export const lockoutOfSecondStep = (accountId: string, by: string): string => `second-step:${accountId}:${by}`;

/** Values of `by` besides the hash of a known device. */
export const secondStepGuessers = { stranger: '', signedIn: 'signed-in' } as const;

interface EndedLockouts {
  readonly emailHash: string;
  readonly accountId: string;
  /** Not after a reset: otherwise a reader of the owner's email could guess codes without end. */
  readonly secondStep: boolean;
}

/**
 * Removes the lockouts of an account, so that its owner gets in right after a reset. Call it before the devices are
 * forgotten. Returns how many keys had wrong attempts.
 */
export async function endLockouts(store: Store, { secondStep, ...account }: EndedLockouts): Promise<number> {
  const keys = (await lockoutKeysOf(store, account))
    .filter(({ of }) => secondStep || of !== 'second_step')
    .map(({ key }) => key);
  // One key at a time, in a fixed order: concurrent sign-ins also lock these rows one by one.
  let ended = 0;
  for (const key of keys.sort()) {
    const removed = await store.deleteFrom('lockouts').where('key', '=', key).returning('failures').executeTakeFirst();
    if (removed && removed.failures > 0) ended += 1;
  }
  return ended;
}

type LockedAccount = Pick<EndedLockouts, 'emailHash' | 'accountId'>;

/** What a lockout of an account keeps from guessing: the password or the second step; and where. */
interface LockoutPlace {
  readonly of: 'password' | 'second_step';
  readonly on: 'new_browsers' | 'known_device' | 'signed_in';
}

async function lockoutKeysOf(
  store: Store,
  { emailHash, accountId }: LockedAccount,
): Promise<readonly (LockoutPlace & { readonly key: string })[]> {
  const devices = await store.selectFrom('devices').select('token_hash').where('account_id', '=', accountId).execute();
  const { stranger, signedIn } = secondStepGuessers;
  return [
    { of: 'password', on: 'new_browsers', key: lockoutOfAddress(emailHash) },
    { of: 'password', on: 'signed_in', key: lockoutOfPassword(accountId) },
    { of: 'second_step', on: 'new_browsers', key: lockoutOfSecondStep(accountId, stranger) },
    { of: 'second_step', on: 'signed_in', key: lockoutOfSecondStep(accountId, signedIn) },
    ...devices.flatMap(({ token_hash: hash }) => [
      { of: 'password', on: 'known_device', key: lockoutOfDevice(accountId, hash) } as const,
      { of: 'second_step', on: 'known_device', key: lockoutOfSecondStep(accountId, hash) } as const,
    ]),
  ];
}

/** How many keys wrong attempts of the last minutes lock now, at most `max`. */
export async function countLocked(store: Store, { now, max }: { now: number; max: number }): Promise<number> {
  const locked = await store
    .selectFrom('lockouts')
    .select('key')
    .where('pending_since', '>', now - longestLock)
    .where('locked_until', '>', now)
    .limit(max)
    .execute();
  return locked.length;
}

/** How many wrong attempts are counted for an account, where, and when the last one was, the newest first. */
export async function failuresOf(store: Store, account: LockedAccount) {
  const places = new Map((await lockoutKeysOf(store, account)).map(({ key, ...place }) => [key, place]));
  const rows = await store
    .selectFrom('lockouts')
    .select(['key', 'failures', 'last_failure_at as at'])
    .where('key', 'in', [...places.keys()])
    .where('failures', '>', 0)
    .orderBy('last_failure_at', 'desc')
    .execute();
  return rows.map(({ key, ...row }) => ({ ...(places.get(key) as LockoutPlace), ...row }));
}

/** The lockouts of an account at `now`, each with its end (ms since the epoch). */
export async function lockoutsOf(
  store: Store,
  { now, ...account }: LockedAccount & { readonly now: number },
): Promise<readonly (LockoutPlace & { readonly until: number })[]> {
  const keys = await lockoutKeysOf(store, account);
  const rows = await store
    .selectFrom('lockouts')
    .select(['key', 'locked_until'])
    .where(
      'key',
      'in',
      keys.map(({ key }) => key),
    )
    .where('locked_until', '>', now)
    .execute();
  const ends = new Map(rows.map((row) => [row.key, row.locked_until]));
  return keys.flatMap(({ key, ...place }) => {
    const until = ends.get(key);
    return until === undefined ? [] : [{ ...place, until }];
  });
}
