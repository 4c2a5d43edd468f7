import { type Refusing, refuse } from '../../contract/refuse.ts';
import type { Service } from '../../server/foundation.ts';
import { type AccountsTable, findAccount } from '../../store/accounts.ts';
import {
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  passwordLock,
  reserveAttempt,
} from '../../store/lockouts.ts';

export type Proof =
  | { readonly state: 'proven'; readonly account: AccountsTable }
  | { readonly state: 'locked'; readonly until: number };

export type Proven = Extract<Proof, { readonly state: 'proven' }>['account'];

export interface Typed {
  readonly accountId: string;
  readonly password: string;
}

/** Whether whoever is signed in knows the password. Counted before the hash is computed, as at sign-in. */
export async function provePassword(
  service: Service,
  endpoint: Refusing<'incorrect_password' | 'not_signed_in' | 'try_again_later'>,
  { accountId, password }: Typed,
): Promise<Proof> {
  const { store } = service;
  const account = await findAccount(store, accountId);
  if (!account) throw refuse(endpoint, 'not_signed_in');
  const lock = passwordLock(accountId);
  const reservation = await reserveAttempt(store, lock, service.now());
  if (reservation.state === 'locked') return reservation;
  if (reservation.state === 'wait') throw refuse(endpoint, 'try_again_later', { retryAfter: 1 });
  const right = await service.passwords.verify(account.password_hash, password).catch(async (error: unknown) => {
    await attemptWithdrawn(store, lock).catch(() => undefined);
    throw error;
  });
  if (!right) {
    await attemptFailed(store, lock, service.now());
    throw refuse(endpoint, 'incorrect_password');
  }
  await attemptSucceeded(store, lock);
  return { state: 'proven', account };
}
