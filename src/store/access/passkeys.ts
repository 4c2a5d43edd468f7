import { challengeLifetime } from '../../contract/sign-in/admission.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import { singleUse } from '../single-use.ts';

/** A WebAuthn credential with which an account is signed in to. */
export interface PasskeysTable {
  /** The credential id, base64url. */
  id: string;
  account_id: string;
  name: string;
  /** The model of the authenticator, a UUID; all zeros if it does not say. */
  aaguid: string;
  /** COSE key, base64url. */
  public_key: string;
  /** COSE algorithm: -7, -8 or -257. */
  algorithm: number;
  /** The authenticator’s signature counter; 0 if it has none. */
  counter: number;
  /** Separated by commas. */
  transports: string;
  /** Whether its provider can copy it to other devices, as its last use said. */
  backup_eligible: 0 | 1;
  /** Whether its provider has copied it. */
  backed_up: 0 | 1;
  created_at: number;
  last_used_at: number | null;
  /** The session that added it, which may have ended; null after an import. */
  session_id: string | null;
  /** When a use last changed `backup_eligible`. */
  eligibility_changed_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    passkeys: PasskeysTable;
    passkey_users: PasskeyUsersTable;
    passkey_challenges: PasskeyChallengesTable;
  }
}

/** A passkey with the user handle of its account. */
export type OwnedPasskey = PasskeysTable & { readonly handle: string | null };

export const findPasskey = (store: Store, id: string): Promise<OwnedPasskey | undefined> =>
  store
    .selectFrom('passkeys')
    .leftJoin('passkey_users', 'passkey_users.account_id', 'passkeys.account_id')
    .selectAll('passkeys')
    .select('passkey_users.handle')
    .where('passkeys.id', '=', id)
    .executeTakeFirst();

/** The passkeys of an account, the oldest first. */
export const passkeysOf = (store: Store, accountId: string): Promise<PasskeysTable[]> =>
  store
    .selectFrom('passkeys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export async function countPasskeys(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('passkeys')
    .select((row) => row.fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Adds a passkey; false if any account already has one with this id, even by a concurrent request. */
export const addPasskey = (trx: StoreTransaction, passkey: PasskeysTable): Promise<boolean> =>
  hasRow(
    trx
      .insertInto('passkeys')
      .values(passkey)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id'),
  );

interface OwnPasskey {
  readonly id: string;
  readonly accountId: string;
}

export const renamePasskey = (trx: StoreTransaction, { id, accountId, name }: OwnPasskey & { name: string }) =>
  trx
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst();

export const removePasskey = (trx: StoreTransaction, { id, accountId }: OwnPasskey) =>
  trx.deleteFrom('passkeys').where('id', '=', id).where('account_id', '=', accountId).returningAll().executeTakeFirst();

/** Removes the passkeys of an account that were added at `since` or later, or in one of the sessions; returns their names. */
export const removePasskeysSince = (
  trx: StoreTransaction,
  { accountId, since, sessions }: { accountId: string; since: number; sessions: readonly string[] },
): Promise<{ name: string }[]> =>
  trx
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .where((row) => {
      const isAddedThere = sessions.length > 0 ? [row('session_id', 'in', sessions)] : [];
      return row.or([row('created_at', '>=', since), ...isAddedThere]);
    })
    .returning('name')
    .execute();

type PasskeyUse = Pick<PasskeysTable, 'id' | 'counter' | 'backup_eligible' | 'backed_up' | 'last_used_at'> &
  Partial<Pick<PasskeysTable, 'eligibility_changed_at'>>;

/** Records a verified use of a passkey. The caller has locked its account's row and has judged the counter. */
export const recordPasskeyUse = (trx: StoreTransaction, { id, ...use }: PasskeyUse): Promise<boolean> =>
  hasRow(trx.updateTable('passkeys').set(use).where('id', '=', id).returning('id'));

/** The random number that identifies an account to authenticators (WebAuthn Level 3, section 14.6.1). */
interface PasskeyUsersTable {
  account_id: string;
  /** 256 random bits, base64url; never derived from the account. */
  handle: string;
}

/** The user handle of an account. The first call stores `fresh`; concurrent calls return the same handle. */
export async function userHandleOf(
  store: Store,
  { accountId, fresh }: { accountId: string; fresh: string },
): Promise<string> {
  await store
    .insertInto('passkey_users')
    .values({ account_id: accountId, handle: fresh })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
  const { handle } = await store
    .selectFrom('passkey_users')
    .select('handle')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return handle;
}

/** The user handle of an account; undefined if it has never requested a passkey. */
export async function knownUserHandle(store: Store, accountId: string): Promise<string | undefined> {
  const user = await store
    .selectFrom('passkey_users')
    .select('handle')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return user?.handle;
}

export type ChallengePurpose = 'sign_in' | 'create' | 'second_step' | 'step_up';

/** A WebAuthn challenge, valid once, for one purpose, in one browser. */
interface PasskeyChallengesTable {
  /** SHA-256 of the challenge in base64url. */
  hash: string;
  purpose: ChallengePurpose;
  /** SHA-256 of the secret cookie of the browser that requested it. */
  browser_hash: string;
  /** Null for a sign-in, which begins without an account. */
  account_id: string | null;
  session_id: string | null;
  /** 1 if the browser creates the passkey without a prompt. */
  automatic: 0 | 1;
  created_at: number;
}

export const challenges = singleUse('passkey_challenges', { lifetime: challengeLifetime, keeps: false });

/** A challenge as its response presents it. Anything that differs leaves it unused. */
export type PresentedChallenge = Omit<PasskeyChallengesTable, 'automatic' | 'created_at'>;
