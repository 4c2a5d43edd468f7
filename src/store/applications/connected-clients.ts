import type { Store, StoreTransaction } from '../database.ts';

/** Applications that an account has used, with the scopes that its owner allowed. */
export interface ConnectedClientsTable {
  account_id: string;
  client_id: string;
  /** Separated by spaces. */
  scopes: string;
  connected_at: number;
  last_used_at: number;
}

declare module '../database.ts' {
  interface Database {
    connected_clients: ConnectedClientsTable;
  }
}

interface Connection {
  readonly accountId: string;
  readonly clientId: string;
}

export const findConnection = (store: Store, { accountId, clientId }: Connection) =>
  store
    .selectFrom('connected_clients')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();

/** Records that an account uses an application with these scopes from now on. */
export const connectClient = (
  store: Store,
  { accountId, clientId, scopes, at }: Connection & { scopes: string; at: number },
) =>
  store
    .insertInto('connected_clients')
    .values({ account_id: accountId, client_id: clientId, scopes, connected_at: at, last_used_at: at })
    .onConflict((conflict) => conflict.columns(['account_id', 'client_id']).doUpdateSet({ scopes, last_used_at: at }))
    .execute();

export const recordUse = (store: Store, { accountId, clientId, at }: Connection & { at: number }) =>
  store
    .updateTable('connected_clients')
    .set({ last_used_at: at })
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .execute();

/** Forgets the consents of an account. */
export const forgetConnections = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('connected_clients').where('account_id', '=', accountId).execute();

/** False if the account did not use the application. */
export async function disconnectClient(store: Store, { accountId, clientId }: Connection): Promise<boolean> {
  const gone = await store
    .deleteFrom('connected_clients')
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .returning('client_id')
    .executeTakeFirst();
  return gone !== undefined;
}

/** The applications of an account, the last used first. */
export const connectionsOfAccount = (store: Store, { accountId, most }: { accountId: string; most: number }) =>
  store
    .selectFrom('connected_clients')
    .innerJoin('clients', 'clients.id', 'connected_clients.client_id')
    .selectAll('connected_clients')
    .select(['clients.name', 'clients.first_party'])
    .where('account_id', '=', accountId)
    .orderBy('last_used_at', 'desc')
    .orderBy('client_id')
    .limit(most)
    .execute();
