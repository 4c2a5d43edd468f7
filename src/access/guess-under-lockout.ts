import { setTimeout } from 'node:timers/promises';
import { seconds } from '../contract/durations.ts';
import { Failure } from '../contract/failures.ts';
import type { Service } from '../server/service.ts';
import {
  attemptsLeftAfterFailure,
  attemptWithdrawn,
  type Reservation,
  reserveAttempt,
} from '../store/access/lockouts.ts';

export type GuessVerdict<Result> =
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
