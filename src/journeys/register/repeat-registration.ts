import { minutes } from '../../contract/durations.ts';
import { readPhoneIn } from '../../contract/fields/phone.ts';
import { refuse } from '../../contract/refuse.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/foundation.ts';
import { beginSession } from '../../store/access/begin-session.ts';
import {
  attemptFailed,
  attemptSucceeded,
  attemptWithdrawn,
  deviceLock,
  reserveAttempt,
} from '../../store/access/lockouts.ts';
import { type AccountsTable, emailKey, findAccountByEmail, isPasswordOf } from '../../store/accounts/accounts.ts';
import type { Visitor } from '../../store/visitor.ts';
import { register } from './register.contract.ts';
import type { Registered, Registration } from './register.ts';

/** How long somebody whose answer was lost may try again; later they sign in. */
const repeatedWithin = minutes(10);

/** How a registration is kept for whoever sends the very same again: of no use to a reader of the table. Null where the page sends no attempt. */
export const keptRegistration = ({ attempt, ...form }: Omit<Registration, 'phone_confirmation'>): string | null =>
  attempt === undefined
    ? null
    : sha256(
        JSON.stringify([
          attempt,
          emailKey(form.email),
          readPhoneIn(form.phone, form.locale) ?? form.phone,
          form.name,
          form.organization,
          form.inn,
          form.promo_code,
          form.consent_offers === true,
        ]),
      );

/** The account that this very registration made a moment ago, if it did: its answer may have been lost. */
export async function findMade(
  { store, now }: Pick<Service, 'store' | 'now'>,
  form: Registration,
): Promise<AccountsTable | undefined> {
  const kept = keptRegistration(form);
  if (kept === null) return undefined;
  const account = await findAccountByEmail(store, form.email);
  const isMade = account?.registration_attempt === kept && account.created_at > now() - repeatedWithin;
  return isMade && account.locked_at === null && account.delete_at === null ? account : undefined;
}

interface Repeated {
  readonly account: AccountsTable;
  readonly password: string;
  readonly visitor: Visitor;
}

interface Attempt extends Repeated {
  /** As a known device's: whoever has the attempt is the browser that registered, or as good as that. */
  readonly lock: string;
}

/**
 * Begins a session for whoever sends the registration again that made the account. Their password is judged as at the
 * sign-in, behind its gate and a lock: an attempt that somebody copied opens nothing.
 */
export async function repeatRegistration(service: Service, repeated: Repeated): Promise<Registered> {
  const { account, visitor } = repeated;
  const lock = deviceLock(account.id, account.registration_attempt ?? '');
  const locked = { source: lock, networks: [] };
  const isLate = service.signInsOfAccount.wait(locked) > 0 || service.signInFailures.wait(visitor) > 0;
  service.signInsOfAccount.count(locked);
  const uncount = service.signInFailures.count(visitor);
  const place = { from: visitor, lane: isLate ? 'late' : 'usual', alone: lock } as const;
  const registered = await service.gate
    .run(place, () => judge(service, { ...repeated, lock }))
    .catch((error: unknown) => {
      uncount();
      throw error;
    });
  if (!registered) throw refuse(register, 'account_exists');
  uncount();
  return registered;
}

async function judge(service: Service, attempt: Attempt): Promise<Registered | undefined> {
  const { store, now } = service;
  const { account, password, lock } = attempt;
  const { state } = await reserveAttempt(store, lock, now());
  if (state === 'wait') throw refuse(register, 'try_again_later', { retryAfter: 2 });
  if (state === 'locked') return undefined;
  try {
    if (await service.passwords.verify(account.password_hash, password)) return await begin(service, attempt);
    await attemptFailed(store, lock, now());
    return undefined;
  } catch (error) {
    // Nobody was told anything.
    await attemptWithdrawn(store, lock).catch(() => undefined);
    throw error;
  }
}

const begin = ({ store, now }: Service, { account, lock, visitor }: Attempt): Promise<Registered | undefined> =>
  store.transaction().execute(async (trx) => {
    // The account before all that is its own, as everywhere.
    const isUnchanged = await isPasswordOf(trx, account);
    await attemptSucceeded(trx, lock);
    if (!isUnchanged) return undefined;
    const sessionId = randomSecret(128);
    const deviceToken = randomSecret(256);
    const session = { sessionId, accountId: account.id, deviceHash: sha256(deviceToken), visitor, now: now() };
    await beginSession(trx, { ...session, kind: 'signed_in' });
    return { accountId: account.id, sessionId, deviceToken, isRepeated: true };
  });
