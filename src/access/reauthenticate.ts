import { type Refusing, refuse, tooMuch } from '../contract/refuse.ts';
import type { Service } from '../server/service.ts';
import { attemptSucceeded, passwordLock } from '../store/access/lockouts.ts';
import { type AccountsTable, findAccount } from '../store/accounts/accounts.ts';
import type { Origin } from '../store/visitor.ts';
import { provePassword } from './prove-password.ts';

interface Reauthentication {
  readonly endpoint: Refusing<'incorrect_password' | 'too_many_attempts' | 'not_signed_in' | 'try_again_later'>;
  readonly from: Origin;
  readonly accountId: string;
  readonly password: string;
}

/**
 * Lets a signed-in user do something that needs the password again. `work` runs in the guess's slot of the hash gate.
 * Refuses with `incorrect_password` or `too_many_attempts`.
 */
export async function reauthenticate<Result>(
  service: Service,
  { endpoint, from, accountId, password }: Reauthentication,
  work: (account: AccountsTable) => Promise<Result>,
): Promise<Result> {
  const { store, now } = service;
  const account = await findAccount(store, accountId);
  if (!account) throw refuse(endpoint, 'not_signed_in');
  const lockout = passwordLock(accountId);
  const guess = { from, account, password, lockout, isKnown: true };
  const verdict = await provePassword(service, guess, async (proven) => {
    await attemptSucceeded(store, lockout);
    return work(proven);
  });
  if (verdict.state === 'locked') throw tooMuch(endpoint, 'too_many_attempts', verdict.until - now());
  if (verdict.state === 'wrong') throw refuse(endpoint, 'incorrect_password');
  return verdict.result;
}
