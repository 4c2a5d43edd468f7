import * as z from 'zod/mini';
import { allScopes, type KnownClaim, knownClaims } from '../contract/openid-scopes.ts';
import { guardPath, isLoopbackHost } from '../contract/pages.ts';
import { iso } from '../contract/units.ts';
import { clientSecretHash, randomSecret } from '../security/macs.ts';
import { groupName } from '../store/applications/account-groups.ts';
import {
  addClientSecret,
  type Client,
  clientId,
  findClient,
  listClientSecrets,
  listClients,
  lockAndFindClient,
  refusalsOf,
  removeClient,
  removeClientSecret,
  saveClient,
  secretsPerClient,
} from '../store/applications/clients.ts';
import { endGrantsNotAdmitted } from '../store/applications/end-grants.ts';
import type { Store, StoreTransaction } from '../store/database.ts';
import { doubtedClients, trustClient } from '../store/operators/doubts.ts';
import { audit, describeDoubts, type Operation } from './operation.ts';

const longestClientName = 80;
/** The least characters of a secret in CLIENTS_FILE: guesses could find a shorter one. */
const shortestSecret = 32;
const maxUris = 50;

const visible = z
  .string()
  .check(
    z.refine(
      (text) =>
        text.trim() === text && text !== '' && text.length <= longestClientName && !/[\p{Cc}\p{Cf}]/u.test(text),
      `must have 1 to ${longestClientName} visible characters`,
    ),
  );
/** Claims that have a meaning for the protocol, which no other value may take. */
const protocolClaims =
  'iss|sub|aud|exp|nbf|iat|jti|nonce|azp|acr|amr|auth_time|at_hash|c_hash|s_hash|sid|typ|cnf|act|scope|client_id|events';
const claimName = new RegExp(`^(?!(?:${protocolClaims})$)[A-Za-z][A-Za-z0-9_.:/-]{0,99}$`);
const uris = z._default(z.array(z.string()).check(z.maxLength(maxUris, `must have at most ${maxUris} URIs`)), []);
const flag = z._default(z.boolean(), false);

/** A client as an operator describes it, with the names of OpenID Connect Dynamic Client Registration where it has some. */
const fields = z.strictObject({
  client_id: z.string().check(z.regex(clientId, 'must have 1 to 64 letters, digits or . _ ~ -')),
  client_name: visible,
  client_secrets: z._default(
    z
      .array(
        z.string().check(
          z.minLength(shortestSecret, `must have at least ${shortestSecret} characters`),
          z.maxLength(256),
          // Libraries disagree about how an Authorization header encodes others.
          z.regex(/^[\x21-\x24\x26-\x7e]*$/, 'must be of ASCII letters, digits and signs, without spaces and %'),
        ),
      )
      .check(z.maxLength(secretsPerClient, `must have at most ${secretsPerClient}`)),
    [],
  ),
  redirect_uris: uris,
  post_logout_redirect_uris: uris,
  backchannel_logout_uri: z.optional(z.string()),
  // The default of the standard, which every library knows.
  id_token_signed_response_alg: z._default(z.enum(['ES256', 'RS256']), 'RS256'),
  groups: z._default(z.array(z.string().check(z.regex(groupName, 'must be names of groups'))), []),
  resources: uris,
  apis: uris,
  claims: z._default(
    z.record(
      z.string(),
      z.enum(Object.keys(knownClaims) as [KnownClaim, ...KnownClaim[]], {
        error: `must be one of ${Object.keys(knownClaims).join(', ')}`,
      }),
    ),
    {},
  ),
  without_pkce: flag,
  public: flag,
  first_party: flag,
  service: flag,
  device: flag,
  claims_in_id_token: flag,
});

export type ClientEntry = z.output<typeof fields>;

export const clientEntry = fields.check((context) => {
  for (const [path, message, refusal] of problemsOf(context.value))
    context.issues.push({ code: 'custom', input: context.value, path: [path], message, params: { refusal } });
});

/** A problem for people, who read about it in their language. */
interface Refusal {
  readonly code: 'required' | 'uri_invalid' | 'uri_insecure' | 'not_understood';
  /** The number of the URI, from 1 on. */
  readonly params?: { readonly line: number };
}

/** The first field that breaks a rule. */
export function refusedIn({ issues: [issue] }: z.core.$ZodError<ClientEntry>): Refusal & { readonly field: string } {
  const refusal: Refusal = (issue?.code === 'custom' && issue.params?.refusal) || { code: 'not_understood' };
  return { field: String(issue?.path[0] ?? ''), ...refusal };
}

type Problems = Generator<[field: string, problem: string, refusal?: Refusal]>;

function* problemsOfGuard(entry: ClientEntry): Problems {
  const guarded = entry.redirect_uris.find((uri) => URL.parse(uri)?.pathname === `${guardPath}callback`);
  if (guarded !== undefined && !entry.first_party)
    yield [
      'first_party',
      `must be true for ${guarded}: the guard passes on who people are without asking them`,
      { code: 'required' },
    ];
}

/** The rules that concern several fields, as field and problem. */
function* problemsOf(entry: ClientEntry): Problems {
  for (const field of ['redirect_uris', 'post_logout_redirect_uris'] as const)
    for (const [at, uri] of entry[field].entries()) {
      const [problem, code = 'uri_invalid'] = redirectProblem(uri, { isPublic: entry.public }) ?? [];
      if (problem) yield [field, `${JSON.stringify(uri)} ${problem}`, { code, params: { line: at + 1 } }];
    }
  const backchannel = entry.backchannel_logout_uri;
  const problem = backchannel === undefined ? undefined : backchannelProblem(backchannel);
  if (problem)
    yield [
      'backchannel_logout_uri',
      `${JSON.stringify(backchannel)} ${problem}`,
      { code: 'uri_invalid', params: { line: 1 } },
    ];
  yield* problemsOfApis(entry);
  for (const name of Object.keys(entry.claims))
    if (!claimName.test(name)) yield ['claims', `${JSON.stringify(name)} is not a free name for a claim`];
  if (entry.redirect_uris.length === 0 && !entry.service && !entry.device && entry.apis.length === 0)
    yield [
      'redirect_uris',
      'must have a URI, unless the client is a service or an API, or uses the device flow',
      { code: 'required' },
    ];
  if (entry.public && entry.without_pkce) yield ['without_pkce', 'is not for a public client, whose codes need PKCE'];
  yield* problemsOfGuard(entry);
  if (entry.public && entry.service) yield ['service', 'needs a secret, which a public client cannot have'];
  if (entry.public && entry.client_secrets.length > 0) yield ['client_secrets', 'a public client cannot have secrets'];
}

/** What is wrong with the APIs that a client uses or is. */
function* problemsOfApis(entry: ClientEntry): Problems {
  for (const resource of entry.resources) {
    const [uri = '', ...scopes] = resource.split(' ');
    if (!isApi(uri)) yield ['resources', `${JSON.stringify(uri)} is not a URL without a fragment`];
    for (const scope of scopes)
      if (!ownScope.test(scope) || isScope(scope))
        yield ['resources', `${JSON.stringify(scope)} is not a name for a scope of an API`];
  }
  if (new Set(entry.resources.map((resource) => resource.split(' ', 1)[0])).size < entry.resources.length)
    yield ['resources', 'must name each API once, with all its scopes'];
  for (const api of entry.apis)
    if (!isApi(api)) yield ['apis', `${JSON.stringify(api)} is not a URL without a fragment`];
  if (entry.public && entry.apis.length > 0) yield ['apis', 'needs a secret, which a public client cannot have'];
}

const isApi = (uri: string): boolean => /^(?:https?|urn):/.test(uri) && URL.canParse(uri) && !uri.includes('#');
const ownScope = /^[\x21\x23-\x5B\x5D-\x7E]{1,64}$/;
const isScope = (text: string): boolean => (allScopes as readonly string[]).includes(text);

const longestUri = 2000;

/**
 * Why a URI cannot receive people who signed in; undefined if it can. Browsers and operating systems send codes there,
 * so it is an https URL, a loopback URL, or for apps a scheme with a dot (RFC 8252, sections 7.1 and 7.3).
 */
function redirectProblem(
  uri: string,
  { isPublic }: { isPublic: boolean },
): readonly [problem: string, code?: Refusal['code']] | undefined {
  if (uri.includes('*')) return ['has a wildcard; list each address instead'];
  const url = URL.parse(uri);
  if (!url || uri.length > longestUri || /[\s\p{Cc}\p{Cf}\\]/u.test(uri)) return ['is not a URL'];
  if (uri.includes('#')) return ['has a fragment'];
  if (url.username !== '' || url.password !== '') return ['has a user name'];
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:')
    return isLoopbackHost(url.hostname) ? undefined : ['must begin with https://', 'uri_insecure'];
  if (!/^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/.test(url.protocol))
    return ['must begin with https://, or with a scheme that has a dot, such as com.example.app:/', 'uri_insecure'];
  return isPublic ? undefined : ['has a private-use scheme, which only a public client can have', 'uri_insecure'];
}

/** Why a URI cannot receive back-channel logouts, which this service sends itself; undefined if it can. */
function backchannelProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > longestUri || !/^https?:$/.test(url.protocol)) return 'is not an http or https URL';
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name';
  return undefined;
}

/** The client that an entry describes. */
const clientIn = (entry: ClientEntry, { at, isFromFile }: { at: number; isFromFile: boolean }): Client => ({
  id: entry.client_id,
  name: entry.client_name,
  redirectUris: entry.redirect_uris,
  postLogoutUris: entry.post_logout_redirect_uris,
  backchannelLogoutUri: entry.backchannel_logout_uri,
  groups: entry.groups,
  resources: entry.resources,
  apis: entry.apis,
  claims: entry.claims,
  withoutPkce: entry.without_pkce,
  signing: entry.id_token_signed_response_alg,
  isPublic: entry.public,
  isFirstParty: entry.first_party,
  isService: entry.service,
  usesDeviceFlow: entry.device,
  claimsInIdToken: entry.claims_in_id_token,
  isFromFile,
  createdAt: at,
});

/** What the audit log says about it. */
const subjectOf = ({ id, name }: Pick<Client, 'id' | 'name'>) => ({ subject: `${id} (${name})`, subjectId: id });

/** Adds a client. Returns its only copy of the secret; undefined for a public client. */
export const addClient = ({ store, ...operation }: Operation, entry: ClientEntry): Promise<string | undefined> =>
  store.transaction().execute(async (trx) => {
    const { now } = operation;
    await saveClient(trx, clientIn(entry, { at: now, isFromFile: false }));
    const secret = entry.public ? undefined : await giveSecret(trx, entry.client_id, now);
    await audit(trx, operation, {
      action: 'client_added',
      ...subjectOf({ id: entry.client_id, name: entry.client_name }),
    });
    return secret;
  });

/** Returns the only copy of a new secret. */
async function giveSecret(trx: StoreTransaction, id: string, now: number): Promise<string> {
  const secret = randomSecret(256);
  await addClientSecret(trx, { hash: clientSecretHash(id, secret), client_id: id, created_at: now });
  return secret;
}

type SecretOutcome =
  | { readonly state: 'added'; readonly secret: string }
  | { readonly state: 'full' | 'public' | 'from file' | 'unknown' };

/** Adds a second secret beside the first. */
export const addSecret = ({ store, ...operation }: Operation, clientId: string): Promise<SecretOutcome> =>
  store.transaction().execute(async (trx) => {
    // Another operator may add one at the same time.
    const client = await lockAndFindClient(trx, clientId);
    if (!client) return { state: 'unknown' };
    if (client.isFromFile) return { state: 'from file' };
    if (client.isPublic) return { state: 'public' };
    if ((await listClientSecrets(trx, clientId)).length >= secretsPerClient) return { state: 'full' };
    const secret = await giveSecret(trx, clientId, operation.now);
    await audit(trx, operation, { action: 'client_secret_added', ...subjectOf(client) });
    return { state: 'added', secret };
  });

/** Ends the older of two secrets; false if the client has only one, which would lock it out. */
export const dropOlderSecret = ({ store, ...operation }: Operation, clientId: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    // Another operator may drop it at the same time.
    const client = await lockAndFindClient(trx, clientId);
    const [older, newer] = await listClientSecrets(trx, clientId);
    if (!older || !newer || !client || client.isFromFile) return false;
    await removeClientSecret(trx, older.hash);
    await audit(trx, operation, { action: 'client_secret_dropped', ...subjectOf(client) });
    return true;
  });

/** A client as the entry that describes it, without its secrets. */
const entryOf = (client: Client): ClientEntry => ({
  client_id: client.id,
  client_name: client.name,
  client_secrets: [],
  redirect_uris: [...client.redirectUris],
  post_logout_redirect_uris: [...client.postLogoutUris],
  backchannel_logout_uri: client.backchannelLogoutUri,
  id_token_signed_response_alg: client.signing,
  groups: [...client.groups],
  resources: [...client.resources],
  apis: [...client.apis],
  claims: { ...client.claims },
  without_pkce: client.withoutPkce,
  public: client.isPublic,
  first_party: client.isFirstParty,
  service: client.isService,
  device: client.usesDeviceFlow,
  claims_in_id_token: client.claimsInIdToken,
});

type ChangeOutcome =
  | { readonly state: 'changed'; readonly entry: ClientEntry; readonly secret: string | undefined }
  | { readonly state: 'from file' | 'unknown' };

interface WantedChange {
  readonly id: string;
  /** Whether entries of CLIENTS_FILE may be changed: those that it left behind. */
  readonly evenFromFile: boolean;
  /** The new entry; throws to refuse it. Gets the present one, which another operator may just have changed. */
  change(former: ClientEntry): ClientEntry;
}

/**
 * Changes a client, and ends the grants of accounts that it no longer admits. A client that becomes public loses its
 * secrets; one that becomes confidential gets one.
 */
export const changeClient = (
  { store, ...operation }: Operation,
  { id, evenFromFile, change }: WantedChange,
): Promise<ChangeOutcome> =>
  store.transaction().execute(async (trx) => {
    const former = await lockAndFindClient(trx, id);
    if (!former) return { state: 'unknown' };
    if (former.isFromFile && !evenFromFile) return { state: 'from file' };
    const entry = change(entryOf(former));
    const client = clientIn(entry, { at: former.createdAt, isFromFile: false });
    if (JSON.stringify(former) === JSON.stringify(client)) return { state: 'changed', entry, secret: undefined };
    await saveClient(trx, client);
    await endGrantsNotAdmitted(trx, { client, at: operation.now });
    const secrets = await listClientSecrets(trx, client.id);
    if (client.isPublic) for (const { hash } of secrets) await removeClientSecret(trx, hash);
    const needsSecret = !client.isPublic && secrets.length === 0;
    const secret = needsSecret ? await giveSecret(trx, client.id, operation.now) : undefined;
    await audit(trx, operation, { action: 'client_changed', ...subjectOf(client) });
    return { state: 'changed', entry, secret };
  });

/** Removes a client and everything that it was granted; false if there is none. */
export const removeClientOf = ({ store, ...operation }: Operation, clientId: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const client = await findClient(trx, clientId);
    if (!client || !(await removeClient(trx, clientId))) return false;
    await audit(trx, operation, { action: 'client_removed', ...subjectOf(client) });
    return true;
  });

/** Numbers of clients that a file added, changed and removed. */
export interface SyncedClients {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** Makes the clients of CLIENTS_FILE equal to its entries. Clients that commands added stay, unless an entry has their id. */
export const syncClients = (
  { store, ...operation }: Operation,
  entries: readonly ClientEntry[],
): Promise<SyncedClients> =>
  store.transaction().execute(async (trx) => {
    const known = new Map((await listClients(trx)).map((client) => [client.id, client]));
    const outcomes: (Outcome | undefined)[] = [];
    for (const entry of entries)
      outcomes.push(await saveEntry(trx, operation, { entry, former: known.get(entry.client_id) }));
    const listed = new Set(entries.map((entry) => entry.client_id));
    const gone = [...known.values()].filter(({ id, isFromFile }) => isFromFile && !listed.has(id));
    for (const client of gone) {
      await removeClient(trx, client.id);
      await audit(trx, operation, { action: 'client_removed', ...subjectOf(client) });
    }
    const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
    return { added: count('added'), changed: count('changed'), removed: gone.length };
  });

type Outcome = 'added' | 'changed';

/** Undefined if the client already is as the entry says. */
async function saveEntry(
  trx: StoreTransaction,
  operation: Omit<Operation, 'store'>,
  { entry, former }: { entry: ClientEntry; former: Client | undefined },
): Promise<Outcome | undefined> {
  const client = clientIn(entry, { at: former?.createdAt ?? operation.now, isFromFile: true });
  const isChanged = JSON.stringify(former) !== JSON.stringify(client);
  if (isChanged) {
    await saveClient(trx, client);
    await endGrantsNotAdmitted(trx, { client, at: operation.now });
  }
  const hasOtherSecrets = await setSecrets(trx, { entry, at: operation.now });
  if (!isChanged && !hasOtherSecrets) return undefined;
  await audit(trx, operation, { action: former ? 'client_changed' : 'client_added', ...subjectOf(client) });
  return former ? 'changed' : 'added';
}

/** Sets the secrets of an entry; true if one of them is new or gone. */
async function setSecrets(trx: StoreTransaction, { entry, at }: { entry: ClientEntry; at: number }): Promise<boolean> {
  const hashes = entry.client_secrets.map((secret) => clientSecretHash(entry.client_id, secret));
  const former = (await listClientSecrets(trx, entry.client_id)).map(({ hash }) => hash);
  const [gone, fresh] = [
    former.filter((hash) => !hashes.includes(hash)),
    hashes.filter((hash) => !former.includes(hash)),
  ];
  for (const hash of gone) await removeClientSecret(trx, hash);
  for (const hash of fresh) await addClientSecret(trx, { hash, client_id: entry.client_id, created_at: at });
  return gone.length + fresh.length > 0;
}

const withoutSecrets = (client: Client) => {
  const { client_secrets: _, ...entry } = entryOf(client);
  return { ...entry, from_file: client.isFromFile, created_at: iso(client.createdAt) };
};

/** Ends the doubt about a client; false if there was none. */
export const confirmClient = ({ store, ...operation }: Operation, clientId: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const client = await findClient(trx, clientId);
    if (!client || !(await trustClient(trx, clientId))) return false;
    await audit(trx, operation, { action: 'client_confirmed', ...subjectOf(client) });
    return true;
  });

/** The clients from an operator who lost access or the role soon after. */
export const clientDoubts = async (store: Store) =>
  describeDoubts(
    store,
    (await doubtedClients(store)).map((one) => ({ ...one, since: one.doubted_at })),
  );

/** A client with the names of CLIENTS_FILE, without its secrets; undefined if there is none. */
export async function describeClient(store: Store, id: string) {
  const client = await findClient(store, id);
  if (!client) return undefined;
  const secrets = (await listClientSecrets(store, id)).map(({ created_at }) => ({ created_at: iso(created_at) }));
  const doubt = (await clientDoubts(store)).find((one) => one.id === id)?.doubt ?? null;
  return { ...withoutSecrets(client), secrets, doubt };
}

/** All clients: there are few. */
export async function describeClients(store: Store) {
  const described = (await listClients(store)).map(({ id }) => describeClient(store, id));
  return (await Promise.all(described)).filter((client) => client !== undefined);
}

/** The last refusals of a client: when, why, and the reference in the log. */
export const refusalsOfClient = async (store: Store, id: string) =>
  (await refusalsOf(store, id)).map(({ client_id: _, at, ...refusal }) => ({ at: iso(at), ...refusal }));
