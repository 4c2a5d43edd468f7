import type { KnownClaim } from '../../contract/openid-scopes.ts';
import { openLookup } from '../batching.ts';
import { engineOf, hasRow, type Store, type StoreTransaction } from '../database.ts';

/** An application that people sign in to through this service (RFC 6749, section 2). Lists are JSON arrays of texts. */
interface ClientsTable {
  id: string;
  /** The name that users see. Chosen by the operator or the application's author, so pages never trust it. */
  name: string;
  redirect_uris: string;
  post_logout_uris: string;
  backchannel_logout_uri: string | null;
  /** An account needs one of these groups; an empty list admits every account. */
  groups: string;
  /** APIs that its access tokens may be for (RFC 8707), each with the scopes of its own: `https://api.example/ notes:read`. */
  resources: string;
  /** APIs that it provides, so that it may introspect their tokens. */
  apis: string;
  /** Its own names of known claims, as a JSON object. */
  claims: string;
  /** 1 if it may leave out the PKCE challenge, and sends a nonce. */
  without_pkce: 0 | 1;
  signing: SigningAlgorithm;
  /** 1 without a secret: an app in a browser, on a telephone or a desk. */
  public: 0 | 1;
  /** 1 if it belongs to the operator: no consent. */
  first_party: 0 | 1;
  /** 1 if it may use client credentials, for requests on its own behalf. */
  service: 0 | 1;
  /** 1 if it may use the device flow (RFC 8628). */
  device: 0 | 1;
  /** 1 if its ID tokens carry all claims, for apps that do not request the userinfo endpoint. */
  claims_in_id_token: 0 | 1;
  /** 1 if it is from CLIENTS_FILE. */
  from_file: 0 | 1;
  created_at: number;
  /** The operator who added or changed it, and then was shut out. */
  doubted_by: string | null;
  doubted_at: number | null;
}

/** The algorithms that can sign the ID tokens of a client. */
type SigningAlgorithm = 'ES256' | 'RS256';

declare module '../database.ts' {
  interface Database {
    clients: ClientsTable;
    client_secrets: ClientSecretsTable;
    connected_clients: ConnectedClientsTable;
  }
}

export interface Client {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutUris: readonly string[];
  readonly backchannelLogoutUri: string | undefined;
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly apis: readonly string[];
  readonly claims: Readonly<Record<string, KnownClaim>>;
  readonly withoutPkce: boolean;
  readonly signing: SigningAlgorithm;
  readonly isPublic: boolean;
  readonly isFirstParty: boolean;
  readonly isService: boolean;
  readonly usesDeviceFlow: boolean;
  readonly claimsInIdToken: boolean;
  readonly isFromFile: boolean;
  readonly createdAt: number;
}

const bit = (is: boolean) => (is ? (1 as const) : (0 as const));

const rowOf = (client: Client): Omit<ClientsTable, 'doubted_by' | 'doubted_at'> => ({
  id: client.id,
  name: client.name,
  redirect_uris: JSON.stringify(client.redirectUris),
  post_logout_uris: JSON.stringify(client.postLogoutUris),
  backchannel_logout_uri: client.backchannelLogoutUri ?? null,
  groups: JSON.stringify(client.groups),
  resources: JSON.stringify(client.resources),
  apis: JSON.stringify(client.apis),
  claims: JSON.stringify(client.claims),
  without_pkce: bit(client.withoutPkce),
  signing: client.signing,
  public: bit(client.isPublic),
  first_party: bit(client.isFirstParty),
  service: bit(client.isService),
  device: bit(client.usesDeviceFlow),
  claims_in_id_token: bit(client.claimsInIdToken),
  from_file: bit(client.isFromFile),
  created_at: client.createdAt,
});

const clientOf = (row: ClientsTable): Client => ({
  id: row.id,
  name: row.name,
  redirectUris: JSON.parse(row.redirect_uris),
  postLogoutUris: JSON.parse(row.post_logout_uris),
  backchannelLogoutUri: row.backchannel_logout_uri ?? undefined,
  groups: JSON.parse(row.groups),
  resources: JSON.parse(row.resources),
  apis: JSON.parse(row.apis),
  claims: JSON.parse(row.claims),
  withoutPkce: row.without_pkce === 1,
  signing: row.signing,
  isPublic: row.public === 1,
  isFirstParty: row.first_party === 1,
  isService: row.service === 1,
  usesDeviceFlow: row.device === 1,
  claimsInIdToken: row.claims_in_id_token === 1,
  isFromFile: row.from_file === 1,
  createdAt: row.created_at,
});

/** The scopes that a client may request of each API, besides those of OpenID Connect. */
export const scopesOfResources = ({ resources }: Pick<Client, 'resources'>): ReadonlyMap<string, readonly string[]> =>
  new Map(
    resources.map((resource) => {
      const [uri = '', ...scopes] = resource.split(' ');
      return [uri, scopes];
    }),
  );

const clientsById = openLookup('id', (store, isKey) => store.selectFrom('clients').selectAll().where(isKey('id')));

/** The form of an id. Other texts never reach the database, which may reject their characters. */
export const clientId = /^[A-Za-z0-9._~-]{1,64}$/;

export async function findClient(store: Store, id: string): Promise<Client | undefined> {
  if (!clientId.test(id)) return undefined;
  const [row] = await clientsById(store, id);
  return row && clientOf(row);
}

/** The same, and locks the client until the end of the transaction. */
export async function lockAndFindClient(trx: StoreTransaction, id: string): Promise<Client | undefined> {
  // In SQLite, a write transaction is exclusive from its beginning.
  if (engineOf(trx) === 'postgres' && clientId.test(id))
    await trx.selectFrom('clients').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  return findClient(trx, id);
}

/** Keeps a client, with its groups, as it is until the end of the transaction; undefined if it no longer exists. */
export async function holdClient(trx: Store, id: string): Promise<Client | undefined> {
  const query = trx.selectFrom('clients').selectAll().where('id', '=', id);
  const row = await (engineOf(trx) === 'postgres' ? query.forShare() : query).executeTakeFirst();
  return row && clientOf(row);
}

export async function clientsGrantedBy(store: Store, accountId: string): Promise<readonly Client[]> {
  const rows = await store
    .selectFrom('clients')
    .selectAll()
    .where('id', 'in', (clients) =>
      clients.selectFrom('client_grants').select('client_id').where('account_id', '=', accountId),
    )
    .execute();
  return rows.map(clientOf);
}

/** The names of the clients that provide these APIs. */
export async function namesOfApis(store: Store, uris: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (uris.length === 0) return new Map();
  const providers = (await listClients(store)).filter(({ apis }) => apis.length > 0);
  return new Map(providers.flatMap(({ name, apis }) => apis.map((uri) => [uri, name] as const)));
}

/** All clients, by name. */
export async function listClients(store: Store): Promise<readonly Client[]> {
  const rows = await store.selectFrom('clients').selectAll().orderBy('name').orderBy('id').execute();
  return rows.map(clientOf);
}

/** Whether there is at least one client. */
export async function hasClients(store: Store): Promise<boolean> {
  return hasRow(store.selectFrom('clients').select('id').limit(1));
}

/** Adds a client, or replaces the one with its id, which keeps its secrets and the time of its creation. */
export async function saveClient(trx: StoreTransaction, client: Client): Promise<void> {
  const { id: _id, created_at: _at, ...changed } = rowOf(client);
  await trx
    .insertInto('clients')
    .values(rowOf(client))
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
    .execute();
}

/** Removes a client with its secrets; false if there was none. */
export const removeClient = (trx: StoreTransaction, id: string): Promise<boolean> =>
  hasRow(trx.deleteFrom('clients').where('id', '=', id).returning('id'));

/** A client has two while its operator exchanges one for the other. */
export const secretsPerClient = 2;

interface ClientSecretsTable {
  /** SHA-256 of the client's id, a colon and the secret, which has full entropy. */
  hash: string;
  client_id: string;
  created_at: number;
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

/** Applications that an account has used, with the scopes that its owner allowed. */
interface ConnectedClientsTable {
  account_id: string;
  client_id: string;
  /** Separated by spaces. */
  scopes: string;
  /** The scopes that its owner allowed for each API, as a JSON object of texts like `scopes`. */
  resources: string;
  connected_at: number;
  last_used_at: number;
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
  { accountId, clientId, scopes, resources, at }: Connection & { scopes: string; resources: string; at: number },
) =>
  store
    .insertInto('connected_clients')
    .values({ account_id: accountId, client_id: clientId, scopes, resources, connected_at: at, last_used_at: at })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'client_id']).doUpdateSet({ scopes, resources, last_used_at: at }),
    )
    .execute();

export const recordUse = (store: Store, { accountId, clientId, at }: Connection & { at: number }) =>
  store
    .updateTable('connected_clients')
    .set({ last_used_at: at })
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .execute();

export const forgetConnections = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('connected_clients').where('account_id', '=', accountId).execute();

/** False if the account did not use the application. */
export const disconnectClient = (store: Store, { accountId, clientId }: Connection): Promise<boolean> =>
  hasRow(
    store
      .deleteFrom('connected_clients')
      .where('account_id', '=', accountId)
      .where('client_id', '=', clientId)
      .returning('client_id'),
  );

/** The applications of an account, the last used first. */
export const connectionsOfAccount = (store: Store, { accountId, max }: { accountId: string; max: number }) =>
  store
    .selectFrom('connected_clients')
    .innerJoin('clients', 'clients.id', 'connected_clients.client_id')
    .selectAll('connected_clients')
    .select(['clients.name', 'clients.first_party'])
    .where('account_id', '=', accountId)
    .orderBy('last_used_at', 'desc')
    .orderBy('client_id')
    .limit(max)
    .execute();

/**
 * The last refusal of each kind that requests of a client got. The library has a fixed number of explanations, so strangers
 * cannot make these rows many.
 */
interface ClientRefusalsTable {
  client_id: string;
  /** The error of the protocol, such as `invalid_grant`. */
  code: string;
  explanation: string;
  /** The parameter that was wrong, or an empty text. */
  value: string;
  route: string;
  /** Of the request, as in the log. */
  reference: string;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    client_refusals: ClientRefusalsTable;
  }
}

/** Records a refusal, in place of the last one of its kind. */
export const recordRefusal = (store: Store, refusal: ClientRefusalsTable) => {
  const { client_id: _id, code: _code, explanation: _explanation, ...last } = refusal;
  return store
    .insertInto('client_refusals')
    .values(refusal)
    .onConflict((conflict) => conflict.columns(['client_id', 'code', 'explanation']).doUpdateSet(last))
    .execute();
};

/** The last refusals of a client, the newest first. */
export const refusalsOf = (store: Store, clientId: string) =>
  store
    .selectFrom('client_refusals')
    .selectAll()
    .where('client_id', '=', clientId)
    .orderBy('at', 'desc')
    .orderBy('explanation')
    .limit(50)
    .execute();
