import type { ProfileField } from '../../contract/account.ts';
import { consentKinds } from '../../contract/account.ts';
import { addAuthenticator } from '../access/authenticators.ts';
import type { PasskeysTable } from '../access/passkeys.ts';
import { addToGroups } from '../applications/account-groups.ts';
import { orderedId, type Store, type StoreTransaction } from '../database.ts';
import { type AccountsTable, emailKey, newAccount } from './accounts.ts';
import { type ConsentsTable, consentVersion } from './consents.ts';

export type ImportedPasskey = Omit<PasskeysTable, 'account_id'>;

export type ImportedAccount = Pick<
  AccountsTable,
  | 'id'
  | 'email'
  | 'email_proven_at'
  | 'name'
  | 'phone'
  | 'phone_confirmed_at'
  | ProfileField
  | 'locale'
  | 'password_hash'
  | 'locked_at'
  | 'created_at'
> & {
  /** Whether the other service knows the account by this id. */
  readonly hasGivenId: boolean;
  /** Which consents were given or refused, as far as known, when, and to which document of terms. */
  readonly consents: { readonly [Kind in ConsentsTable['kind']]: boolean | undefined } & {
    readonly document: string | undefined;
    readonly at: number;
  };
  /** The secret of an authenticator app that the owner uses. */
  readonly totpSecret: Buffer | undefined;
  /** Valid names, each once. */
  readonly groups: readonly string[];
  readonly passkeys: readonly ImportedPasskey[];
  /** Base64url. */
  readonly passkeyUserHandle: string | undefined;
};

export interface Existing {
  /** Ids by the key of their address. */
  readonly ids: ReadonlyMap<string, string>;
  /** Addresses by id. */
  readonly emails: ReadonlyMap<string, string>;
  readonly passkeys: ReadonlySet<string>;
  readonly handles: ReadonlySet<string>;
}

/** Looks up which of a few hundred accounts exist, by address, id, passkey or user handle. */
export async function findExisting(store: Store, accounts: readonly ImportedAccount[]): Promise<Existing> {
  const found = await store
    .selectFrom('accounts')
    .select(['id', 'email', 'email_key'])
    .where((row) =>
      row.or([
        row('email_key', 'in', ['', ...accounts.map(({ email }) => emailKey(email))]),
        row('id', 'in', ['', ...accounts.filter(({ hasGivenId }) => hasGivenId).map(({ id }) => id)]),
      ]),
    )
    .execute();
  const keys = accounts.flatMap(({ passkeys }) => passkeys.map(({ id }) => id));
  const passkeys =
    keys.length === 0 ? [] : await store.selectFrom('passkeys').select('id').where('id', 'in', keys).execute();
  const handles = accounts.flatMap(({ passkeyUserHandle }) => passkeyUserHandle ?? []);
  const users =
    handles.length === 0
      ? []
      : await store.selectFrom('passkey_users').select('handle').where('handle', 'in', handles).execute();
  return {
    ids: new Map(found.map(({ id, email_key }) => [email_key, id])),
    emails: new Map(found.map(({ id, email }) => [id, email])),
    passkeys: new Set(passkeys.map(({ id }) => id)),
    handles: new Set(users.map(({ handle }) => handle)),
  };
}

interface Import {
  readonly accounts: readonly ImportedAccount[];
  readonly now: number;
  /** Seals a secret as `security/macs.ts` does. */
  readonly seal: (secret: Buffer) => string;
}

/**
 * Adds accounts of another service in one transaction. Skips those whose address or id somebody has taken meanwhile;
 * returns the ids of the others.
 */
export async function importAccounts(store: Store, { accounts, now, seal }: Import): Promise<ReadonlySet<string>> {
  if (accounts.length === 0) return new Set();
  const rows = accounts.map(
    ({
      hasGivenId: _id,
      consents: _c,
      totpSecret: _s,
      groups: _g,
      passkeys: _p,
      passkeyUserHandle: _h,
      ...account
    }) => ({
      ...newAccount,
      ...account,
      email_key: emailKey(account.email),
      password_changed_at: account.created_at,
    }),
  );
  return store.transaction().execute(async (trx) => {
    const inserted = await trx
      .insertInto('accounts')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    const ids = new Set(inserted.map(({ id }) => id));
    const added = accounts.filter(({ id }) => ids.has(id));
    await addConsents(trx, added);
    for (const { id, totpSecret } of added)
      if (totpSecret) await addAuthenticator(trx, { accountId: id, secret: seal(totpSecret), at: now });
    await addToGroups(
      trx,
      added.flatMap(({ id, groups }) => groups.map((group) => ({ accountId: id, group, at: now }))),
    );
    const passkeys = added.flatMap(({ id, passkeys }) => passkeys.map((passkey) => ({ ...passkey, account_id: id })));
    for (const passkey of passkeys) await trx.insertInto('passkeys').values(passkey).execute();
    for (const { id, passkeyUserHandle: handle } of added)
      if (handle) await trx.insertInto('passkey_users').values({ account_id: id, handle }).execute();
    return ids;
  });
}

async function addConsents(trx: StoreTransaction, accounts: readonly ImportedAccount[]): Promise<void> {
  const rows = accounts.flatMap(({ id, locale, consents }) =>
    consentKinds
      .filter((kind) => consents[kind] !== undefined)
      .map((kind) => ({
        id: orderedId(),
        account_id: id,
        kind,
        given: consents[kind] ? (1 as const) : (0 as const),
        version: consentVersion,
        document: kind === 'terms' ? (consents.document ?? null) : null,
        locale,
        at: consents.at,
      })),
  );
  if (rows.length > 0) await trx.insertInto('consents').values(rows).execute();
}
