import { type Refusing, refuse, tooMuch } from '../contract/refuse.ts';
import { type Authentication, stepUpLifetime } from '../contract/sign-in/authentication.ts';
import { stepUpWaysOf } from '../contract/sign-in/sign-in-methods.ts';
import { isPassword } from '../security/foreign/hashes.ts';
import type { Service } from '../server/service.ts';
import { attemptSucceeded, lockoutOfPassword } from '../store/access/lockouts.ts';
import { signInMethodsOf } from '../store/access/sign-in-methods.ts';
import { type AccountsTable, findAccount } from '../store/accounts/accounts.ts';
import type { Origin } from '../store/visitor.ts';
import { limitGuesses } from './limit-guesses.ts';
import { provePassword } from './prove-password.ts';

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
    if (authTime > now() - stepUpLifetime) return work(account);
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
