import { type Nullable, sql } from 'kysely';
import type { Authentication, AuthenticationMethod } from '../../contract/sign-in/admission.ts';
import type { SignInMethods } from '../../contract/sign-in/sign-in-methods.ts';
import type { AccountsTable } from '../accounts/accounts.ts';
import type { Store } from '../database.ts';
import { deviceLifetime } from './devices.ts';
import { isLockedOut, lockEnd, lockoutOfAddress, lockoutOfDevice } from './lockouts.ts';
import { countPasskeys } from './passkeys.ts';
import type { SessionsTable } from './sessions.ts';

/** The account and the lockout of a sign-in attempt, looked up before any hash is computed. */
export interface SignInState {
  readonly account: AccountsTable | undefined;
  /** Whether the browser has signed in to this account before. */
  readonly isKnown: boolean;
  readonly lockout: string;
  /** When the lockout ends (ms since the epoch), or 0 if there is none. */
  readonly lockedUntil: number;
}

interface SignInLookup {
  readonly emailKey: string;
  readonly emailHash: string;
  /** Hash of the browser's device token, if it has one. */
  readonly deviceHash: string | undefined;
  readonly now: number;
}

/** Matches no device: a hash is never empty. */
const none = '';

interface AccountLookup extends Pick<SignInLookup, 'emailKey' | 'now'> {
  /** The address's lockout. The database builds that of a known device, as `lockoutOfDevice` does. */
  readonly lockout: string;
  readonly deviceHash: string;
  /** Devices last seen before this time are forgotten. */
  readonly since: number;
}

async function lookUp(store: Store, { emailKey, lockout, deviceHash, since, now }: AccountLookup) {
  const { rows } = await sql<
    Nullable<AccountsTable> & { readonly device_of: string | null; readonly lock_ends: number | null }
  >`
    select accounts.*, always.device_of, lockouts.locked_until as lock_ends
    from (
      select (
        select devices.account_id
        from devices inner join accounts as theirs on theirs.id = devices.account_id
        where devices.token_hash = ${deviceHash} and devices.last_seen_at > ${since} and theirs.email_key = ${emailKey}
      ) as device_of
    ) as always
    left join lockouts on lockouts.key =
      coalesce('device:' || always.device_of || ':' || cast(${deviceHash} as text), ${lockout})
    left join accounts on accounts.email_key = ${emailKey} and (lockouts.key is null or not ${isLockedOut(now)})`.execute(
    store,
  );
  return rows[0];
}

/**
 * Looks an attempt up without judging it. The statement, and the number of rows that it reads, depend on the browser
 * and on the lockout, but never on whether an account exists: otherwise the response time would reveal accounts. A known
 * device has its own lockout, which strangers cannot trigger.
 */
export async function findSignInState(
  store: Store,
  { emailKey, emailHash, deviceHash = none, now }: SignInLookup,
): Promise<SignInState> {
  const lockout = lockoutOfAddress(emailHash);
  const found = await lookUp(store, { emailKey, lockout, deviceHash, since: now - deviceLifetime, now });
  if (!found) throw new Error('the sign-in lookup returned no row');
  const { device_of: owner, lock_ends: end, ...row } = found;
  return {
    account: row.id === null ? undefined : (row as AccountsTable),
    isKnown: owner !== null,
    lockout: owner === null ? lockout : lockoutOfDevice(owner, deviceHash),
    lockedUntil: lockEnd(end ?? 0, now),
  };
}

interface Setting {
  /** Operators can switch the second step off: accounts keep theirs, and sign-ins do not require it. */
  readonly config: { readonly SECOND_STEP: string };
}

interface PasskeySetting {
  /** Undefined if the service has no passkeys. */
  readonly config: { readonly relyingParty: object | undefined };
}

/** Whether sign-ins to an account need a second step. */
export const needsSecondStep = (
  { config }: Setting,
  { second_step_at }: Pick<AccountsTable, 'second_step_at'>,
): boolean => config.SECOND_STEP !== 'off' && second_step_at !== null;

/** The methods by which the owner of an account can prove their identity. `password`: whether it has one. */
export async function signInMethodsOf(
  { store, config }: Setting & PasskeySetting & { readonly store: Store },
  account: Pick<AccountsTable, 'id' | 'second_step_at'>,
  { password }: Pick<SignInMethods, 'password'>,
): Promise<SignInMethods> {
  return {
    password,
    authenticator: needsSecondStep({ config }, account),
    passkeys: config.relyingParty ? await countPasskeys(store, account.id) : 0,
  };
}

/** How and when the session's owner last proved who they are. */
export const authenticationOf = ({
  created_at,
  proven_at,
  amr,
  acr,
}: Pick<SessionsTable, 'created_at' | 'proven_at' | 'amr' | 'acr'>): Authentication => ({
  // Not the later of both: a clock that was ahead at the sign-in must not outlast a newer proof.
  authTime: proven_at ?? created_at,
  amr: amr.split(' ') as AuthenticationMethod[],
  acr,
});

/** Stores a step-up: when and how its owner proved again who they are. */
export const renewAuthentication = (store: Store, id: string, { authTime, amr, acr }: Authentication) =>
  store
    .updateTable('sessions')
    .set({ proven_at: authTime, amr: amr.join(' '), acr })
    .where('id', '=', id)
    .execute();
