import { setTimeout } from 'node:timers/promises';
import { Failure } from '../contract/failures.ts';
import { seconds } from '../contract/units.ts';
import type { Service } from '../server/service.ts';
import {
  attemptsLeftAfterFailure,
  attemptWithdrawn,
  type Reservation,
  reserveAttempt,
} from '../store/access/lockouts.ts';
import type { Origin } from '../store/visitor.ts';

type GuessVerdict<Result> =
  | { readonly state: 'right'; readonly result: Result }
  | { readonly state: 'wrong'; readonly attemptsLeft: number }
  /** `until` in milliseconds since the epoch. */
  | { readonly state: 'locked'; readonly until: number };

/** Thrown by `check` to roll its transaction back. */
export class WrongGuess extends Error {}

/** How long a guess waits while others of the same lockout are being decided. */
const patience = seconds(2);
const askAgainAfter = 50;

export type PendingReservation = Extract<Reservation, { state: 'wait' }>;

/**
 * Retries while guesses on this or other nodes decide whether this one may be made. Holds no slot meanwhile. Throws
 * `try_again_later` if they stay undecided.
 */
export async function waitForReservation<Verdict extends { readonly state: string }>(
  ask: () => Promise<Verdict | PendingReservation>,
): Promise<Exclude<Verdict, PendingReservation>> {
  for (let waited = 0; waited < patience; waited += askAgainAfter) {
    const verdict = await ask();
    if (verdict.state !== 'wait') return verdict as Exclude<Verdict, PendingReservation>;
    await setTimeout(askAgainAfter);
  }
  throw new Failure('try_again_later', { retryAfter: 2 });
}

/**
 * Counts a guess under a lockout before `check` runs, so that parallel guesses and cut connections also count. `check`
 * throws `WrongGuess`, or calls `attemptSucceeded` in its transaction; if it throws anything else, the guess does not
 * count. Throws `try_again_later` if other guesses stay undecided.
 */
export async function guess<Result>(
  { store, now }: Pick<Service, 'store' | 'now'>,
  lockout: string,
  check: () => Promise<Result>,
): Promise<GuessVerdict<Result>> {
  const reservation = await waitForReservation(() => reserveAttempt(store, lockout, now()));
  return reservation.state === 'locked' ? reservation : decide({ store, now }, lockout, check);
}

async function decide<Result>(
  { store, now }: Pick<Service, 'store' | 'now'>,
  lockout: string,
  check: () => Promise<Result>,
): Promise<GuessVerdict<Result>> {
  try {
    return { state: 'right', result: await check() };
  } catch (error) {
    if (error instanceof WrongGuess)
      return { state: 'wrong', attemptsLeft: await attemptsLeftAfterFailure(store, lockout, now()) };
    // If this also fails, the database is unavailable, and the reservation expires by itself.
    await attemptWithdrawn(store, lockout).catch(() => undefined);
    throw error;
  }
}

interface CountedGuess {
  /** Wrong guesses by source. */
  readonly limit: Service['ownGuesses'];
  readonly from: Origin;
  /**
   * Key of a guesser who keeps a few guesses while others behind the same source are above the limit, such as the account
   * of a session or a known device; undefined for strangers.
   */
  owner(): Promise<string | undefined>;
  /** The refusal of a source that is above the limit, with the wait in milliseconds. */
  refusal(wait: number): Failure;
}

/**
 * Counts a guess as wrong before it is checked, so that parallel guesses cannot pass the limit. Returns a function that
 * takes the count back. Many people of an office share one source, so the guesses of one must not lock out the others.
 */
export async function countGuess(
  { ownGuesses }: Pick<Service, 'ownGuesses'>,
  { limit, from, owner, refusal }: CountedGuess,
): Promise<() => void> {
  const wait = limit.wait(from);
  if (wait === 0) return limit.count(from);
  const source = await owner();
  if (source === undefined) throw refusal(wait);
  // Not counted by source: taking back that count would make room for a further guess of an attacker.
  const own = { source, networks: [] };
  const ownWait = ownGuesses.wait(own);
  if (ownWait > 0) throw refusal(Math.min(wait, ownWait));
  return ownGuesses.count(own);
}

interface LimitedGuess<Verdict> extends CountedGuess {
  judge(): Promise<Verdict>;
}

/** Judges a guess unless its source has made too many wrong ones. */
export async function limitGuesses<Verdict extends { readonly state: string }>(
  service: Pick<Service, 'ownGuesses'>,
  { judge, ...guess }: LimitedGuess<Verdict>,
): Promise<Verdict> {
  const uncount = await countGuess(service, guess);
  let isWrong = false;
  try {
    const verdict = await judge();
    isWrong = verdict.state === 'wrong';
    return verdict;
  } finally {
    if (!isWrong) uncount();
  }
}
