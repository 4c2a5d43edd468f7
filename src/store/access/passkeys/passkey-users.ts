import type { Store } from '../../database.ts';

/** The random number that identifies an account to authenticators (WebAuthn Level 3, section 14.6.1). */
export interface PasskeyUsersTable {
  account_id: string;
  /** 256 random bits, base64url; never derived from the account. */
  handle: string;
}

declare module '../../database.ts' {
  interface Database {
    passkey_users: PasskeyUsersTable;
  }
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
