import { setTimeout } from 'node:timers/promises';
import { seconds } from '../contract/durations.ts';
import { Failure } from '../contract/failures.ts';
import type { Service } from '../server/service.ts';
import { attemptsLeftAfterFailure, attemptWithdrawn, reserveAttempt } from '../store/access/lockouts.ts';

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
  for (let waited = 0; waited < patience; waited += askAgainAfter) {
    const reservation = await reserveAttempt(store, lockout, now());
    if (reservation.state === 'locked') return reservation;
    if (reservation.state === 'reserved') return decide({ store, now }, lockout, check);
    await setTimeout(askAgainAfter);
  }
  throw new Failure('try_again_later', { retryAfter: 2 });
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
