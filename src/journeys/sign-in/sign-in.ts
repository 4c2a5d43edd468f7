import type { Failure } from '../../contract/failures.ts';
import { refuse } from '../../contract/refuse.ts';
import { deviceName } from '../../outbox/device-name.ts';
import { post } from '../../outbox/post.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import {
  type AccountsTable,
  emailKey,
  findAccountByEmail,
  isPasswordOf,
  keepDbType,
  replaceHash,
} from '../../store/accounts.ts';
import { beginSession } from '../../store/begin-session.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { deviceLifetime, isKnownDevice } from '../../store/devices.ts';
import {
  addressLock,
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  deviceLock,
  lockedUntil,
  reserveAttempt,
} from '../../store/lockouts.ts';
import type { Visitor } from '../../store/visitor.ts';
import { login } from './sign-in.contract.ts';

export interface Attempt {
  readonly email: string;
  readonly password: string;
  readonly db_type?: string | undefined;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  readonly visitor: Visitor;
}

/** What is known of an attempt before anything is computed: whose it is, and which lock counts it. */
export interface Approach {
  readonly account: AccountsTable | undefined;
  readonly known: boolean;
  readonly lock: string;
}

/** Looks an attempt up without judging it. A known device has a lock of its own, which no stranger can close. */
export async function approach(service: Service, { email, deviceToken }: Attempt): Promise<Approach> {
  const account = await findAccountByEmail(service.store, email);
  if (account && deviceToken) {
    const tokenHash = sha256(deviceToken);
    const since = service.now() - deviceLifetime;
    if (await isKnownDevice(service.store, { tokenHash, accountId: account.id, since })) {
      return { account, known: true, lock: deviceLock(account.id, tokenHash) };
    }
  }
  return { account, known: false, lock: addressLock(emailKey(email)) };
}

/** When a lock opens, or 0: asked before an attempt may wait for a hash, because refusing must be cheap. */
export const lockOf = (service: Service, { lock }: Approach): Promise<number> =>
  lockedUntil(service.store, lock, service.now());

/** How long an attempt waits for the outcome of others with the same lock, which decides whether it may be made. */
const turnLimit = 2_000;
const turnPoll = 10;

async function takeTurn(service: Service, lock: string): Promise<number> {
  const givesUpAt = performance.now() + turnLimit;
  for (;;) {
    const reservation = await reserveAttempt(service.store, lock, service.now());
    if (reservation.state === 'reserved') return 0;
    if (reservation.state === 'locked') return reservation.until;
    if (performance.now() > givesUpAt) throw refuse(login, 'try_again_later', { retryAfter: 2 });
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
export async function signIn(service: Service, attempt: Attempt, { account, known, lock }: Approach): Promise<Verdict> {
  const until = await takeTurn(service, lock);
  if (until > 0) return { state: 'locked', until };

  let right: boolean;
  try {
    right = await service.passwords.verify(account?.password_hash, attempt.password);
  } catch (error) {
    await attemptWithdrawn(service.store, lock);
    throw error;
  }
  if (!account || !right) {
    await attemptFailed(service.store, lock, service.now());
    return { state: 'refused', failure: refuse(login, refusal(service, account)) };
  }

  const sessionId = randomSecret(128);
  const deviceToken = attempt.deviceToken ?? randomSecret(256);
  const stillRight = await service.store.transaction().execute(async (trx) => {
    // The account before all that is its own, as everywhere: so nobody waits for somebody who waits for them.
    const isUnchanged = await isPasswordOf(trx, account);
    await attemptSucceeded(trx, lock);
    // A reset that was quicker than this sign-in has ended every session, and must not leave this one.
    if (!isUnchanged) return false;
    const deviceHash = sha256(deviceToken);
    const { id: accountId } = account;
    await beginSession(trx, {
      sessionId,
      accountId,
      deviceHash,
      visitor: attempt.visitor,
      kind: 'signed_in',
      now: service.now(),
    });
    if (attempt.db_type) await keepDbType(trx, accountId, attempt.db_type);
    if (!known) await tellOwner(trx, { account, visitor: attempt.visitor, at: service.now() });
    return true;
  });
  if (!stillRight) return { state: 'refused', failure: refuse(login, refusal(service, account)) };
  if (!known) service.outbox.wake();
  if (service.passwords.isOutdated(account.password_hash)) {
    const to = await service.passwords.hash(attempt.password);
    await replaceHash(service.store, { accountId: account.id, from: account.password_hash, to });
  }
  return { state: 'signed_in', accountId: account.id, sessionId, deviceToken };
}

/** A sign-in on a device that the account has not seen: its owner is the one who knows whether that is right. */
async function tellOwner(
  trx: StoreTransaction,
  { account, visitor, at }: { account: AccountsTable; visitor: Visitor; at: number },
): Promise<void> {
  const params = { device: deviceName(visitor.userAgent), ip: visitor.ip, when: at };
  await post(trx, { notice: 'new_device', params, account, at });
}

function refusal({ config }: Service, account: AccountsTable | undefined) {
  if (config.ACCOUNT_DISCLOSURE === 'uniform') return 'incorrect_login_or_password';
  return account ? 'incorrect_password' : 'account_not_found';
}
