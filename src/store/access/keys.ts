import { hasRow, type Store, type StoreTransaction } from '../database.ts';

/**
 * `id_token` is an RSA key for applications that need RS256; it exists from the first application on. `web_push`
 * identifies us to push services: browsers subscribe to it.
 */
export type KeyPurpose = 'access_token' | 'refresh_token' | 'csrf' | 'phone' | 'id_token' | 'web_push';

export interface KeysTable {
  /** The `kid` in an access token's header. */
  id: string;
  /** `password_pepper` is no key, but a hash that verifies only with the operator's pepper. */
  purpose: KeyPurpose | 'password_pepper';
  /** Encrypted with AES-256-GCM under the operator's key, or plain without one (`security/macs.ts`). */
  secret: string;
  created_at: number;
  /** From this time on, the key no longer verifies; null while it is in use. */
  retired_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    keys: KeysTable;
  }
}

/** Keys that sign or still verify, the newest of each purpose first. */
export const usableKeys = (store: Store, now: number) =>
  store
    .selectFrom('keys')
    .selectAll()
    .$narrowType<{ purpose: KeyPurpose }>()
    .where('purpose', '!=', 'password_pepper')
    .where((where) => where.or([where('retired_at', 'is', null), where('retired_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();

/** Limits every usable key to verification until `retiredAt` (by purpose, ms since the epoch). */
export async function retireKeys(
  trx: StoreTransaction,
  retiredAt: Readonly<Partial<Record<KeyPurpose, number>>>,
): Promise<void> {
  for (const [purpose, at] of Object.entries(retiredAt)) {
    await trx
      .updateTable('keys')
      .set({ retired_at: at })
      .where('purpose', '=', purpose as KeyPurpose)
      .where((where) => where.or([where('retired_at', 'is', null), where('retired_at', '>', at)]))
      .execute();
  }
}

/** Adds a first key. If two nodes start together, one wins and both use its key. */
export const addKey = (store: Store, key: KeysTable) =>
  store
    .insertInto('keys')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

const pepperCheckId = 'password_pepper-1';

/** The hash that verifies only with the operator's pepper, sealed as keys are. */
export const pepperCheck = (store: Store) =>
  store.selectFrom('keys').select('secret').where('id', '=', pepperCheckId).executeTakeFirst();

/** Stores the first such hash. If two nodes start together, one wins. */
export const addPepperCheck = (store: Store, { secret, now }: { secret: string; now: number }) =>
  addKey(store, { id: pepperCheckId, purpose: 'password_pepper', secret, created_at: now, retired_at: null });

/** Replaces the hash, for another pepper. */
export const replacePepperCheck = (store: Store, { secret, now }: { secret: string; now: number }) =>
  store.updateTable('keys').set({ secret, created_at: now }).where('id', '=', pepperCheckId).execute();

/** Whether any account exists, and so perhaps a password. */
export const hasAccounts = (store: Store): Promise<boolean> =>
  hasRow(store.selectFrom('accounts').select('id').limit(1));
