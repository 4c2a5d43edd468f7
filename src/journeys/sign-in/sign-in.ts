import { deviceLifetime } from '../../contract/constants.ts';
import { Failure } from '../../contract/failures.ts';
import { post } from '../../outbox/post.ts';
import type { Passwords } from '../../security/passwords.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import {
  type AccountsTable,
  emailKey,
  findAccountByEmail,
  isPasswordOf,
  keepDbType,
  replaceHash,
} from '../../store/accounts.ts';
import { beginSession } from '../../store/begin-session.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { isKnownDevice } from '../../store/devices.ts';
import {
  addressLock,
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  deviceLock,
  lockedUntil,
  reserveAttempt,
} from '../../store/lockouts.ts';
import { deviceName } from './device-name.ts';

export interface SignInDeps {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly outbox: { wake(): void };
  readonly settings: { readonly ACCOUNT_DISCLOSURE: 'uniform' | 'explicit' };
  now(): number;
}

export interface Attempt {
  readonly email: string;
  readonly password: string;
  readonly db_type?: string | undefined;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  readonly visitor: { readonly ip: string; readonly userAgent: string };
}

/** What is known of an attempt before anything is computed: whose it is, and which lock counts it. */
export interface Approach {
  readonly account: AccountsTable | undefined;
  readonly known: boolean;
  readonly lock: string;
}

/** Looks an attempt up without judging it. A known device has a lock of its own, which no stranger can close. */
export async function approach(deps: SignInDeps, { email, deviceToken }: Attempt): Promise<Approach> {
  const account = await findAccountByEmail(deps.store, email);
  if (account && deviceToken) {
    const tokenHash = sha256(deviceToken);
    const since = deps.now() - deviceLifetime;
    if (await isKnownDevice(deps.store, { tokenHash, accountId: account.id, since })) {
      return { account, known: true, lock: deviceLock(account.id, tokenHash) };
    }
  }
  return { account, known: false, lock: addressLock(emailKey(email)) };
}

/** When a lock opens, or 0: asked before an attempt may wait for a hash, because refusing must be cheap. */
export const lockOf = (deps: SignInDeps, { lock }: Approach): Promise<number> =>
  lockedUntil(deps.store, lock, deps.now());

/** How long an attempt waits for the outcome of others with the same lock, which decides whether it may be made. */
const turnLimit = 2_000;
const turnPoll = 10;

async function takeTurn(deps: SignInDeps, lock: string): Promise<number> {
  const givesUpAt = performance.now() + turnLimit;
  for (;;) {
    const reservation = await reserveAttempt(deps.store, lock, deps.now());
    if (reservation.state === 'reserved') return 0;
    if (reservation.state === 'locked') return reservation.until;
    if (performance.now() > givesUpAt) throw new Failure('try_again_later', { retryAfter: 2 });
    await new Promise((resolve) => setTimeout(resolve, turnPoll));
  }
}

export type Verdict =
  | {
      readonly state: 'signed_in';
      readonly accountId: string;
      readonly sessionId: string;
      readonly deviceToken: string;
    }
  | { readonly state: 'refused'; readonly failure: Failure }
  | { readonly state: 'locked'; readonly until: number };

/**
 * Decides an attempt. It is counted before the hash is computed and outside the session's transaction, so that
 * neither parallel guesses nor a broken connection are ever free.
 */
export async function signIn(deps: SignInDeps, attempt: Attempt, { account, known, lock }: Approach): Promise<Verdict> {
  const until = await takeTurn(deps, lock);
  if (until > 0) return { state: 'locked', until };

  let right: boolean;
  try {
    right = await deps.passwords.verify(account?.password_hash, attempt.password);
  } catch (error) {
    await attemptWithdrawn(deps.store, lock);
    throw error;
  }
  if (!account || !right) {
    await attemptFailed(deps.store, lock, deps.now());
    return { state: 'refused', failure: new Failure(refusal(deps, account)) };
  }

  const sessionId = randomSecret(128);
  const deviceToken = attempt.deviceToken ?? randomSecret(256);
  const stillRight = await deps.store.transaction().execute(async (trx) => {
    await attemptSucceeded(trx, lock);
    // A reset that was quicker than this sign-in has ended every session, and must not leave this one.
    if (!(await isPasswordOf(trx, account))) return false;
    const deviceHash = sha256(deviceToken);
    const { id: accountId } = account;
    await beginSession(trx, {
      sessionId,
      accountId,
      deviceHash,
      visitor: attempt.visitor,
      kind: 'signed_in',
      now: deps.now(),
    });
    if (attempt.db_type) await keepDbType(trx, accountId, attempt.db_type);
    if (!known) await tellOwner(trx, { account, visitor: attempt.visitor, at: deps.now() });
    return true;
  });
  if (!stillRight) return { state: 'refused', failure: new Failure(refusal(deps, account)) };
  if (!known) deps.outbox.wake();
  if (deps.passwords.isOutdated(account.password_hash)) {
    const to = await deps.passwords.hash(attempt.password);
    await replaceHash(deps.store, { accountId: account.id, from: account.password_hash, to });
  }
  return { state: 'signed_in', accountId: account.id, sessionId, deviceToken };
}

/** A sign-in on a device that the account has not seen: its owner is the one who knows whether that is right. */
async function tellOwner(
  trx: StoreTransaction,
  { account, visitor, at }: { account: AccountsTable; visitor: Attempt['visitor']; at: number },
): Promise<void> {
  const params = { device: deviceName(visitor.userAgent), ip: visitor.ip, when: at };
  await post(trx, { notice: 'new_device', params, account, at });
}

function refusal({ settings }: SignInDeps, account: AccountsTable | undefined) {
  if (settings.ACCOUNT_DISCLOSURE === 'uniform') return 'incorrect_login_or_password';
  return account ? 'incorrect_password' : 'account_not_found';
}
