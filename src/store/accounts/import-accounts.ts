import type { ProfileField } from '../../contract/fields/profile.ts';
import { addAuthenticator } from '../access/second-step/authenticators.ts';
import { addToGroups } from '../applications/account-groups.ts';
import type { Store } from '../database.ts';
import { orderedId } from '../ordered-id.ts';
import { type AccountsTable, newAccount } from './accounts.ts';
import { consentVersion } from './consents.ts';
import { emailKey } from './email-key.ts';

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
  | 'created_at'
> & {
  /** The consent to offers by email, if known. */
  readonly offers: boolean | undefined;
  /** The secret of an authenticator app that the owner uses. */
  readonly totpSecret: Buffer | undefined;
  /** Valid names, each once. */
  readonly groups: readonly string[];
};

interface Import {
  readonly accounts: readonly ImportedAccount[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Seals a secret as `security/key-encryption.ts` does. */
  readonly seal: (secret: Buffer) => string;
}

/** Adds accounts of another service in one transaction. Skips addresses that exist; returns how many it added. */
export async function importAccounts(store: Store, { accounts, now, seal }: Import): Promise<number> {
  if (accounts.length === 0) return 0;
  const rows = accounts.map(({ offers: _, totpSecret: _secret, groups: _groups, ...account }) => ({
    ...newAccount,
    ...account,
    email_key: emailKey(account.email),
    password_changed_at: account.created_at,
  }));
  return store.transaction().execute(async (trx) => {
    const added = await trx
      .insertInto('accounts')
      .values(rows)
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id')
      .execute();
    const ids = new Set(added.map(({ id }) => id));
    const answers = accounts
      .filter(({ id, offers }) => ids.has(id) && offers !== undefined)
      .map(({ id, locale, offers }) => ({
        id: orderedId(),
        account_id: id,
        kind: 'offers' as const,
        given: offers ? (1 as const) : (0 as const),
        version: consentVersion,
        document: null,
        locale,
        at: now,
      }));
    if (answers.length > 0) await trx.insertInto('consents').values(answers).execute();
    for (const { id, totpSecret } of accounts)
      if (totpSecret && ids.has(id)) await addAuthenticator(trx, { accountId: id, secret: seal(totpSecret), at: now });
    const memberships = accounts
      .filter(({ id }) => ids.has(id))
      .flatMap(({ id, groups }) => groups.map((group) => ({ accountId: id, group, at: now })));
    await addToGroups(trx, memberships);
    return added.length;
  });
}
