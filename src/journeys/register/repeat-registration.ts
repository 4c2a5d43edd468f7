import { minutes } from '../../contract/durations.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { type AccountsTable, emailKey, findAccountByEmail, isPasswordOf } from '../../store/accounts.ts';
import { beginSession } from '../../store/begin-session.ts';
import { currentConsents } from '../../store/consents.ts';
import type { Store } from '../../store/database.ts';
import {
  addressLock,
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  reserveAttempt,
} from '../../store/lockouts.ts';
import { findCall } from '../../store/phone-calls.ts';
import { codeKey } from '../../store/promo-codes.ts';
import type { Visitor } from '../../store/visitor.ts';
import type { Applicant, Registered } from './register.ts';

interface Repeated {
  readonly applicant: Applicant;
  readonly visitor: Visitor;
}

interface Attempt extends Repeated {
  readonly account: AccountsTable;
  readonly lock: string;
}

/** How long somebody whose answer was lost may try again; later they sign in. */
const repeatedWithin = minutes(10);

/** Whether the registration of an account may come again because its answer was lost. */
export const isNewlyMade = ({ created_at }: AccountsTable, now: number): boolean => created_at > now - repeatedWithin;

/**
 * Begins a session for whoever sends the registration again that made an account a moment ago; undefined for everybody
 * else. Their password is judged as at the sign-in, behind its gate, limits and lock: this is no other way to guess one.
 */
export async function repeatRegistration(service: Service, repeated: Repeated): Promise<Registered | undefined> {
  const { applicant, visitor } = repeated;
  const account = await findAccountByEmail(service.store, applicant.email);
  if (!account || !isNewlyMade(account, service.now())) return undefined;
  const lock = addressLock(sha256(emailKey(applicant.email)));
  const locked = { source: lock, networks: [] };
  const isLate = service.signInsOfAccount.wait(locked) > 0 || service.signInFailures.wait(visitor) > 0;
  service.signInsOfAccount.count(locked);
  const uncount = service.signInFailures.count(visitor);
  const place = { from: visitor, lane: isLate ? 'late' : 'usual', alone: lock } as const;
  const attempt = { ...repeated, account, lock };
  const registered = await service.gate
    .run(place, () => judge(service, attempt))
    .catch((error: unknown) => {
      uncount();
      throw error;
    });
  if (registered) uncount();
  return registered;
}

/** Whatever is not the same counts as a wrong password does, so that the count says nothing of the password either. */
async function judge(service: Service, attempt: Attempt): Promise<Registered | undefined> {
  const { store, now } = service;
  const { account, applicant, lock } = attempt;
  const reservation = await reserveAttempt(store, lock, now());
  if (reservation.state !== 'reserved') return undefined;
  try {
    const isRight = await service.passwords.verify(account.password_hash, applicant.password);
    const isSame = await isSameRegistration(service, attempt);
    if (isRight && isSame) return await begin(service, attempt);
    await attemptFailed(store, lock, now());
    return undefined;
  } catch (error) {
    // Nobody was told anything.
    await attemptWithdrawn(store, lock).catch(() => undefined);
    throw error;
  }
}

/** Whether all that was sent is what the account was made of, and nothing has become of it since. */
async function isSameRegistration({ store }: Service, { account, applicant }: Attempt): Promise<boolean> {
  const isSameCall = await isCallOf(store, account, applicant.call);
  const consents = await currentConsents(store, account.id);
  const wantsOffers = consents.some(({ kind, given }) => kind === 'offers' && given === 1);
  return (
    account.phone === applicant.phone &&
    account.name === applicant.name &&
    account.organization === (applicant.organization ?? null) &&
    account.inn === (applicant.inn ?? null) &&
    account.promo_code === (applicant.promo_code === undefined ? null : codeKey(applicant.promo_code)) &&
    wantsOffers === (applicant.consent_offers === true) &&
    isSameCall &&
    account.delete_at === null
  );
}

/** Whether it is the call that was used when the account was made, or none was. */
async function isCallOf(store: Store, account: AccountsTable, id: string | undefined): Promise<boolean> {
  if (id === undefined) return account.phone_confirmed_at === null;
  const call = await findCall(store, id);
  return call?.phone === account.phone && call.used_at === account.created_at;
}

const begin = ({ store, now }: Service, { account, lock, visitor }: Attempt): Promise<Registered | undefined> =>
  store.transaction().execute(async (trx) => {
    const isUnchanged = await isPasswordOf(trx, account);
    await attemptSucceeded(trx, lock);
    if (!isUnchanged) return undefined;
    const sessionId = randomSecret(128);
    const deviceToken = randomSecret(256);
    const session = { sessionId, accountId: account.id, deviceHash: sha256(deviceToken), visitor, now: now() };
    await beginSession(trx, { ...session, kind: 'signed_in' });
    return { accountId: account.id, sessionId, deviceToken, isRepeated: true };
  });
