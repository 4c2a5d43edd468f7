import { setTimeout } from 'node:timers/promises';
import { seconds } from '../../contract/durations.ts';
import type { Failure } from '../../contract/failures.ts';
import { refuse } from '../../contract/refuse.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { type Approach, approach } from '../../store/access/approach.ts';
import { beginAtOnce } from '../../store/access/begin-at-once.ts';
import { beginSession } from '../../store/access/begin-session.ts';
import {
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  type Reservation,
  reserveAttempt,
} from '../../store/access/lockouts.ts';
import { endSession } from '../../store/access/sessions.ts';
import { type AccountsTable, emailKey, isPasswordOf, keepDbType, replaceHash } from '../../store/accounts/accounts.ts';
import type { Visitor } from '../../store/visitor.ts';
import { login } from './sign-in.contract.ts';
import { tellOwner } from './tell-owner.ts';

export interface Attempt {
  readonly email: string;
  readonly password: string;
  readonly db_type?: string | undefined;
  readonly shared?: boolean | undefined;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  /** The session that the browser has, which it leaves for the new one (OWASP ASVS 5.0, 7.2.4). */
  readonly former: string | undefined;
  readonly visitor: Visitor;
}

/** Looks an attempt up without judging it. */
export function lookUp({ store, now }: Service, { email, deviceToken }: Attempt): Promise<Approach> {
  const deviceHash = deviceToken === undefined ? undefined : sha256(deviceToken);
  const key = emailKey(email);
  return approach(store, { emailKey: key, emailHash: sha256(key), deviceHash, now: now() });
}

export type Undecided = Extract<Reservation, { state: 'wait' }>;

export type Verdict =
  | {
      readonly state: 'signed_in';
      readonly accountId: string;
      readonly sessionId: string;
      readonly deviceToken: string;
    }
  | { readonly state: 'refused'; readonly failure: Failure }
  | { readonly state: 'locked'; readonly until: number };

/** How long an attempt waits for the outcome of others with the same lock, which decides whether it may be made. */
const patience = seconds(2);
const askedAgainAfter = 50;

/** Asks again as long as attempts on other nodes decide whether this one may be made. Nothing is held meanwhile. */
export async function untilDecided(ask: () => Promise<Verdict | Undecided>): Promise<Verdict> {
  for (let waited = 0; waited < patience; waited += askedAgainAfter) {
    const verdict = await ask();
    if (verdict.state !== 'wait') return verdict;
    await setTimeout(askedAgainAfter);
  }
  throw refuse(login, 'try_again_later', { retryAfter: 2 });
}

/**
 * Decides an attempt. It is counted before the hash is computed and outside the session's transaction, so that
 * neither parallel guesses nor a broken connection is ever free.
 */
export async function signIn(service: Service, attempt: Attempt, found: Approach): Promise<Verdict | Undecided> {
  const reservation = await reserveAttempt(service.store, found.lock, service.now());
  if (reservation.state !== 'reserved') return reservation;
  const verdict = await judge(service, attempt, found).catch(async (error: unknown) => {
    // Nobody was told anything. Where this fails as well, the database is away, and time ends the reservation.
    await attemptWithdrawn(service.store, found.lock).catch(() => undefined);
    throw error;
  });
  if (verdict.state === 'signed_in') await strengthenHash(service, attempt, found.account);
  return verdict;
}

async function judge(service: Service, attempt: Attempt, { account, known, lock }: Approach): Promise<Verdict> {
  const right = await service.passwords.verify(account?.password_hash, attempt.password);
  if (!account || !right) {
    await attemptFailed(service.store, lock, service.now());
    return { state: 'refused', failure: refuse(login, refusal(service, account)) };
  }

  if (account.locked_at !== null) {
    await attemptWithdrawn(service.store, lock);
    return { state: 'refused', failure: refuse(login, 'email_cannot_be_used') };
  }
  const sessionId = randomSecret(128);
  // One that somebody else put into this browser would make them known by it.
  const deviceToken = (known && attempt.deviceToken) || randomSecret(256);
  const beginning = { account, known, lock, sessionId, deviceHash: sha256(deviceToken) };
  const stillRight = (await beginUsual(service, attempt, beginning)) || (await begin(service, attempt, beginning));
  if (!stillRight) return { state: 'refused', failure: refuse(login, refusal(service, account)) };
  if (!known) service.outbox.wake();
  return { state: 'signed_in', accountId: account.id, sessionId, deviceToken };
}

interface Beginning {
  readonly account: AccountsTable;
  readonly known: boolean;
  readonly lock: string;
  readonly sessionId: string;
  readonly deviceHash: string;
}

/** Begins the session of a browser that comes as it came the last time; false where there is more to do than that. */
async function beginUsual(
  { store, now }: Service,
  { visitor, shared, db_type, former }: Attempt,
  { account, known, ...beginning }: Beginning,
): Promise<boolean> {
  const isMoved = visitor.timeZone !== undefined && visitor.timeZone !== account.time_zone;
  if (!known || shared || isMoved || (db_type && db_type !== account.db_type)) return false;
  const { id: accountId, password_changed_at: passwordChangedAt } = account;
  return beginAtOnce(store, { ...beginning, accountId, passwordChangedAt, former, visitor, now: now() });
}

/** Begins a session, and tells the owner where the browser is new. False when the password is no longer the account's. */
const begin = (service: Service, attempt: Attempt, { account, known, lock, ...beginning }: Beginning) =>
  service.store.transaction().execute(async (trx) => {
    // The account before all that is its own, as everywhere: so nobody waits for somebody who waits for them.
    const isUnchanged = await isPasswordOf(trx, account);
    await attemptSucceeded(trx, lock);
    // A reset that was quicker than this sign-in has ended every session, and must not leave this one.
    if (!isUnchanged) return false;
    const { visitor, shared, former } = attempt;
    const now = service.now();
    await beginSession(trx, { ...beginning, accountId: account.id, visitor, kind: 'signed_in', shared, now });
    if (former !== undefined) await endSession(trx, { id: former, reason: 'signed_out', at: now });
    if (attempt.db_type) await keepDbType(trx, account.id, attempt.db_type);
    if (!known) {
      const place = service.places.of(visitor.ip, account.locale);
      await tellOwner(trx, { account, visitor, place, at: now });
    }
    return true;
  });

/** The password is at hand only now: a hash made with other parameters than today's is made anew. */
async function strengthenHash(service: Service, { password }: Attempt, account: Approach['account']): Promise<void> {
  if (!account || !service.passwords.isOutdated(account.password_hash)) return;
  const to = await service.passwords.hash(password);
  await replaceHash(service.store, { accountId: account.id, from: account.password_hash, to });
}

function refusal({ config }: Service, account: AccountsTable | undefined) {
  if (config.ACCOUNT_DISCLOSURE === 'uniform') return 'incorrect_login_or_password';
  return account ? 'incorrect_password' : 'account_not_found';
}
