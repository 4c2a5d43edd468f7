import { type Refusing, refuse, tooMuch } from '../contract/failures.ts';
import { type Authentication, stepUpLifetime } from '../contract/sign-in/admission.ts';
import { isObviousPassword, type PasswordOwner } from '../contract/sign-in/passwords.ts';
import { stepUpWaysOf } from '../contract/sign-in/sign-in-methods.ts';
import { isPassword } from '../security/imported-hashes.ts';
import { isCommonPassword } from '../security/passwords.ts';
import type { Service } from '../server/service.ts';
import {
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  lockoutOfPassword,
  reserveAttempt,
} from '../store/access/lockouts.ts';
import { signInMethodsOf } from '../store/access/sign-in-lookup.ts';
import { type AccountsTable, findAccount, lockUnchangedAccount } from '../store/accounts/accounts.ts';
import type { Origin } from '../store/visitor.ts';
import { isRecent } from '../store/wrong-clock.ts';
import type { Proof } from './admit.ts';
import { limitGuesses, type PendingReservation, waitForReservation } from './guesses.ts';
import { type Lane, laneOf } from './lanes.ts';

interface PasswordGuess {
  readonly from: Origin;
  /** Undefined if no account has the address; the guess is then verified against a hash that matches no password. */
  readonly account: AccountsTable | undefined;
  readonly password: string;
  /** Key of the lockout that counts the guess (`store/access/lockouts.ts`). */
  readonly lockout: string;
  /** Whether the guess comes from a device or a session that has already proven this password. */
  readonly isKnown: boolean;
}

type PasswordVerdict<Result> =
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

interface VerifiedPassword {
  readonly method: Extract<Proof['method'], 'password' | 'repeated_registration'>;
  /** The account as it was when the password was verified. */
  readonly account: AccountsTable;
  readonly lockout: string;
  /** Creates the refusal for a request that lost the race with a password reset. */
  readonly refusal: () => Error;
}

/** Proof by a password that `provePassword` verified. Resets its lockout; void if the password changed meanwhile. */
export const passwordProof = ({ method, account, lockout, refusal }: VerifiedPassword): Proof => ({
  method,
  async redeem(trx) {
    const unchanged = await lockUnchangedAccount(trx, account);
    // The reset ended every session, so this one must not begin.
    if (!unchanged) throw refusal();
    await attemptSucceeded(trx, lockout);
    return { ...account, ...unchanged };
  },
});

interface Reauthentication extends Pick<Authentication, 'authTime'> {
  readonly endpoint: Refusing<
    'incorrect_password' | 'too_many_attempts' | 'not_signed_in' | 'step_up_required' | 'try_again_later'
  >;
  readonly from: Origin;
  readonly accountId: string;
  /** Undefined if the request has none, because the sign-in or a step-up is recent. */
  readonly password: string | undefined;
}

/**
 * Lets a signed-in user do something that needs the password again, or a recent proof of identity instead. `work` runs in
 * the guess's slot of the hash gate. Refuses with `incorrect_password`, `too_many_attempts` or `step_up_required`.
 */
export async function reauthenticate<Result>(
  service: Service,
  { endpoint, from, accountId, authTime, password }: Reauthentication,
  work: (account: AccountsTable) => Promise<Result>,
): Promise<Result> {
  const { store, now } = service;
  const account = await findAccount(store, accountId);
  if (!account) throw refuse(endpoint, 'not_signed_in');
  if (password === undefined) {
    if (isRecent(authTime, { now: now(), within: stepUpLifetime })) return work(account);
    const methods = await signInMethodsOf(service, account, { password: isPassword(account.password_hash) });
    throw refuse(endpoint, 'step_up_required', { ways: stepUpWaysOf(methods) });
  }
  const lockout = lockoutOfPassword(accountId);
  const guess = { from, account, password, lockout, isKnown: true };
  const verdict = await limitGuesses(service, {
    limit: service.stepUpGuesses,
    from,
    owner: async () => accountId,
    refusal: (wait) => tooMuch(endpoint, 'too_many_attempts', wait),
    judge: () =>
      provePassword(service, guess, async (proven) => {
        await attemptSucceeded(store, lockout);
        return work(proven);
      }),
  });
  if (verdict.state === 'locked') throw tooMuch(endpoint, 'too_many_attempts', verdict.until - now());
  if (verdict.state === 'wrong') throw refuse(endpoint, 'incorrect_password');
  return verdict.result;
}

/**
 * Whether a stranger would guess a new password. Its length is a rule of the field (`contract/fields/fields.ts`); whoever
 * sets a password refuses the field with `password_common`.
 */
export const isGuessablePassword = (
  { config }: { readonly config: Pick<Service['config'], 'PRODUCT_NAME'> },
  password: string,
  { email, name }: Pick<PasswordOwner, 'email' | 'name'>,
): boolean => isObviousPassword(password, { email, name, product: config.PRODUCT_NAME }) || isCommonPassword(password);
