import { openLookup } from '../batching.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** A client has two while its operator exchanges one for the other. */
export const secretsPerClient = 2;

export interface ClientSecretsTable {
  /** SHA-256 of the client's id, a colon and the secret, which has full entropy. */
  hash: string;
  client_id: string;
  created_at: number;
}

declare module '../database.ts' {
  interface Database {
    client_secrets: ClientSecretsTable;
  }
}

const secretsOf = openLookup('client_id', (store, isKey) =>
  store.selectFrom('client_secrets').selectAll().where(isKey('client_id')),
);

/** The secrets of a client, the older first. */
export const listClientSecrets = async (store: Store, clientId: string): Promise<readonly ClientSecretsTable[]> =>
  [...(await secretsOf(store, clientId))].sort(
    (one, other) => one.created_at - other.created_at || (one.hash < other.hash ? -1 : 1),
  );

export const addClientSecret = (trx: StoreTransaction, secret: ClientSecretsTable) =>
  trx
    .insertInto('client_secrets')
    .values(secret)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const removeClientSecret = (trx: StoreTransaction, hash: string) =>
  trx.deleteFrom('client_secrets').where('hash', '=', hash).execute();
