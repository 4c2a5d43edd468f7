import type { Service } from '../server/service.ts';
import { attemptFailed, attemptWithdrawn, reserveAttempt } from '../store/access/lockouts.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import type { Origin } from '../store/visitor.ts';
import { type Lane, laneOf } from './gate/lanes.ts';
import { type PendingReservation, waitForReservation } from './guess-under-lockout.ts';

export interface PasswordGuess {
  readonly from: Origin;
  /** Undefined if no account has the address; the guess is then verified against a hash that matches no password. */
  readonly account: AccountsTable | undefined;
  readonly password: string;
  /** Key of the lockout that counts the guess (`store/access/lockouts.ts`). */
  readonly lockout: string;
  /** Whether the guess comes from a device or a session that has already proven this password. */
  readonly isKnown: boolean;
}

export type PasswordVerdict<Result> =
  | { readonly state: 'proven'; readonly result: Result }
  | { readonly state: 'wrong' }
  /** `until` in milliseconds since the epoch. */
  | { readonly state: 'locked'; readonly until: number };

/**
 * Verifies a password behind the hash gate. The guess is reserved before the hash is computed and outside of the
 * transaction that admits the account's owner, so parallel guesses and cut connections also count. `proven` runs in the
 * guess's slot and calls `attemptSucceeded` in its transaction; if it throws, the guess does not count. Throws
 * `try_again_later` if the gate is full or other guesses stay undecided.
 */
export async function provePassword<Result>(
  service: Service,
  guess: PasswordGuess,
  proven: (account: AccountsTable) => Promise<Result>,
): Promise<PasswordVerdict<Result>> {
  const place = placeOf(service, guess);
  const uncount = countGuess(service, guess);
  try {
    const verdict = await waitForReservation(() => service.gate.run(place, () => decide(service, guess, proven)));
    if (verdict.state !== 'wrong') uncount();
    return verdict;
  } catch (error) {
    uncount();
    throw error;
  }
}

/** Counts every guess as a failure until it turns out otherwise: without this, parallel guesses would all be free. */
function countGuess(service: Service, { from, lockout }: PasswordGuess): () => void {
  service.signInsOfAccount.count(originOf(lockout));
  return service.signInFailures.count(from);
}

const originOf = (lockout: string): Origin => ({ source: lockout, networks: [] });

/** One guess at a time per known account or per lockout; the others wait without holding a slot. */
function placeOf(service: Service, guess: PasswordGuess) {
  const { from, account, isKnown, lockout } = guess;
  return { from, lane: laneOfGuess(service, guess), alone: isKnown ? `account ${account?.id}` : lockout };
}

/**
 * A source with many failures is not refused, since an office or a mobile network shares one address: it waits in a
 * lane with fewer turns. So does an account that signs in many times in a row, from any source.
 */
function laneOfGuess(service: Service, { from, lockout, isKnown }: PasswordGuess): Lane {
  if (service.signInsOfAccount.wait(originOf(lockout)) > 0) return 'late';
  if (isKnown) return 'known';
  const lane = laneOf(from);
  return lane === 'usual' && service.signInFailures.wait(from) > 0 ? 'late' : lane;
}

async function decide<Result>(
  { store, now, passwords }: Service,
  { account, password, lockout }: PasswordGuess,
  proven: (account: AccountsTable) => Promise<Result>,
): Promise<PasswordVerdict<Result> | PendingReservation> {
  const reservation = await reserveAttempt(store, lockout, now());
  if (reservation.state !== 'reserved') return reservation;
  try {
    const isRight = await passwords.verify(account?.password_hash, password);
    if (account && isRight) return { state: 'proven', result: await proven(account) };
    await attemptFailed(store, lockout, now());
    return { state: 'wrong' };
  } catch (error) {
    // If this also fails, the database is unavailable, and the reservation expires by itself.
    await attemptWithdrawn(store, lockout).catch(() => undefined);
    throw error;
  }
}
