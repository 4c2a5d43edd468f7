import { type Refusing, refuse } from '../../contract/refuse.ts';
import type { Service } from '../../server/foundation.ts';
import {
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  passwordLock,
  reserveAttempt,
} from '../../store/access/lockouts.ts';
import { type AccountsTable, findAccount } from '../../store/accounts/accounts.ts';
import type { Origin } from '../gate/attained-service.ts';
import { tooMuch } from '../problems.ts';

interface Asking {
  readonly endpoint: Refusing<'incorrect_password' | 'too_many_attempts' | 'not_signed_in' | 'try_again_later'>;
  readonly from: Origin;
  readonly accountId: string;
  readonly password: string;
}

/** Does what whoever is signed in has to give the password for again, behind the gate of all hashes. */
export function withPassword<T>(
  service: Service,
  asking: Asking,
  work: (account: AccountsTable) => Promise<T>,
): Promise<T> {
  const { from, accountId } = asking;
  return service.gate.run({ from, lane: 'known', alone: `account ${accountId}` }, async () =>
    work(await provePassword(service, asking)),
  );
}

/** The attempt is counted before the hash is computed, as at sign-in. */
async function provePassword(service: Service, { endpoint, accountId, password }: Asking): Promise<AccountsTable> {
  const { store, now } = service;
  const account = await findAccount(store, accountId);
  if (!account) throw refuse(endpoint, 'not_signed_in');
  const lock = passwordLock(accountId);
  const reservation = await reserveAttempt(store, lock, now());
  if (reservation.state === 'locked') throw tooMuch(endpoint, 'too_many_attempts', reservation.until - now());
  if (reservation.state === 'wait') throw refuse(endpoint, 'try_again_later', { retryAfter: 1 });
  const right = await service.passwords.verify(account.password_hash, password).catch(async (error: unknown) => {
    await attemptWithdrawn(store, lock).catch(() => undefined);
    throw error;
  });
  if (!right) {
    await attemptFailed(store, lock, now());
    throw refuse(endpoint, 'incorrect_password');
  }
  await attemptSucceeded(store, lock);
  return account;
}
