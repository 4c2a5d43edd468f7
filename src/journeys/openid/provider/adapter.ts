import type { Adapter, AdapterPayload, errors } from 'oidc-provider';
import { Failure } from '../../../contract/failures.ts';
import { sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { maxLateResponses, refreshGrace } from '../../../store/access/sessions.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { countLateResponse, findGrant } from '../../../store/applications/client-grants.ts';
import { findClient, recordUse } from '../../../store/applications/clients.ts';
import { endGrant } from '../../../store/applications/end-grants.ts';
import {
  addRecord,
  consumeAgain,
  consumeRecord,
  findRecord,
  finishRecord,
  type OpenIdRecordsTable,
  payloadsOfGrant,
  removeRecord,
  saveRecord,
} from '../../../store/applications/openid-records.ts';
import type { Store } from '../../../store/database.ts';
import { authenticationOf, claimNames } from './claims.ts';
import { type BrowserRequest, metadataOf } from './client-authentication.ts';
import { parentsOf, placeOf, successorsOf } from './tokens.ts';

/** The parts of the service that the adapter uses. */
type AdapterDeps = Pick<Service, 'store' | 'now' | 'keyring' | 'openIdBeginnings' | 'refreshesOfGrant'>;

export const recordKey = (kind: string, id: string): string => sha256(`${kind}:${id}`);
export const userCodeHash = (userCode: string): string => sha256(`user code:${userCode}`);

interface CurrentRequest extends Pick<BrowserRequest, 'visitor' | 'signedIn' | 'clients'> {
  /** The client that sent it, if it has authenticated. */
  readonly client: { readonly clientId: string; readonly clientAuthMethod?: string | undefined } | undefined;
  /** Rather than an introspection or a revocation. */
  readonly isTokenRequest: boolean;
}

/** Kinds that an application can store as often as it likes; those of a browser are counted when it sends them. */
const begun: ReadonlySet<string> = new Set(['PushedAuthorizationRequest', 'DeviceCode', 'ClientCredentials']);

interface Library {
  readonly InvalidGrant: typeof errors.InvalidGrant;
  readonly current: () => CurrentRequest | undefined;
}

/** The provider's storage of one kind of object. Sessions, grants and clients are views of our own tables. */
export function openAdapter(service: AdapterDeps, kind: string, library: Library): Adapter {
  const records = openRecords(service, kind, library);
  const views: Readonly<Record<string, (id: string) => Promise<AdapterPayload | undefined>>> = {
    Client: async (id) => {
      const known = library.current()?.clients;
      const client = known?.get(id) ?? (await findClient(service.store, id));
      if (client) known?.set(id, client);
      return client && metadataOf(client);
    },
    Session: async (id) => {
      const signedIn = library.current()?.signedIn;
      return signedIn?.session.id === id ? sessionOf(signedIn) : undefined;
    },
    Grant: (id) => grantById(service, id),
  };
  const view = views[kind];
  if (!view) return records;
  const none = async () => undefined;
  return {
    ...records,
    find: view,
    findByUid: kind === 'Session' ? view : none,
    upsert: none,
    consume: none,
    revokeByGrantId: none,
    destroy: kind === 'Grant' ? (id) => end(service, id, library) : none,
  };
}

/** Ends a grant: its application has revoked it, or a token request has used a code or a refresh token again. */
async function end({ store, now }: AdapterDeps, grantId: string, { current }: Library): Promise<undefined> {
  const at = now();
  const request = current();
  const visitor = request?.isTokenRequest ? request.visitor : undefined;
  const grant = visitor && (await findGrant(store, { id: grantId, now: at }));
  await store.transaction().execute(async (trx) => {
    const ended = await endGrant(trx, grantId, { at, notifies: visitor !== undefined });
    if (ended > 0 && visitor && grant)
      await recordActivity(trx, { accountId: grant.account_id, at, kind: 'app_reused', visitor });
  });
}

async function grantById({ store, now }: AdapterDeps, id: string): Promise<AdapterPayload | undefined> {
  const grant = await findGrant(store, { id, now: now() });
  if (!grant) return undefined;
  return {
    kind: 'Grant',
    jti: id,
    accountId: grant.account_id,
    clientId: grant.client_id,
    openid: { scope: grant.scopes, claims: [...claimNames] },
    resources: JSON.parse(grant.resources),
    iat: Math.floor(grant.created_at / 1000),
    // Our clock has judged it; the provider's clock may differ.
    exp: Number.MAX_SAFE_INTEGER,
  } as AdapterPayload;
}

function openRecords(service: AdapterDeps, kind: string, library: Library): Adapter {
  const { store, now, keyring } = service;
  const keyOf = (id: string) => recordKey(kind, id);
  const isRefreshToken = kind === 'RefreshToken';
  const isInteraction = kind === 'Interaction';

  const payloadOf = (id: string, record: OpenIdRecordsTable, isConsumed: boolean): AdapterPayload => ({
    ...JSON.parse(record.payload),
    ...(id !== '' && { jti: id }),
    ...(isConsumed && { consumed: Math.floor((record.consumed_at ?? 0) / 1000) }),
  });

  const isTokenRequestOf = (clientId: string | undefined): boolean => {
    const request = library.current();
    return request?.isTokenRequest === true && request.client?.clientId === clientId;
  };

  /** A request that waits for a person, or that its browser continued less than a minute ago: that response may be lost. */
  async function findInteraction(id: string): Promise<AdapterPayload | undefined> {
    const record = await findRecord(store, { key: keyOf(id), now: now() });
    // A repetition may store as much as a new request.
    if (record && record.consumed_at !== null) admitBeginning(service, library.current());
    return record && payloadOf(id, record, false);
  }

  async function find(id: string): Promise<AdapterPayload | undefined> {
    const record = await findRecord(store, { key: keyOf(id), now: now() });
    if (!record) return isRefreshToken ? olderCopy(service, id) : undefined;
    // A code or token is worth nothing without its grant, which ends with the session behind it.
    if (record.grant_id !== null && !(await findGrant(store, { id: record.grant_id, now: now() }))) return undefined;
    const payload = payloadOf(id, record, record.consumed_at !== null);
    const { grantId, clientId } = payload;
    if (!repeatable.has(kind) || !isTokenRequestOf(clientId)) return payload;
    if (isRefreshToken && grantId) countRefresh(service, grantId);
    const successors = grantId ? successorsOf(keyring.refreshTokens, { parent: id, grantId }) : [];
    // Late repeats are few, so only the request that gets the successor may spend one. A code is for one moment.
    const mayBeLate = kind !== 'AuthorizationCode';
    const repeats =
      payload.consumed !== undefined && (await mayRepeat(store, { record, successors, mayBeLate, now: now() }));
    return repeats ? payloadOf(id, record, false) : payload;
  }

  return {
    async upsert(id, { jti: _secret, consumed: _consumed, userCode, returnTo: _address, ...payload }, lifetime = 0) {
      if (begun.has(kind)) admitBeginning(service, library.current());
      const { grantId, session } = payload;
      const place = isRefreshToken ? placeOf(keyring.refreshTokens, id) : undefined;
      const record = {
        key: keyOf(id),
        // Compared with times of sign-ins, which our clock gives.
        payload: JSON.stringify({
          ...payload,
          // Nobody who reads the row may continue a request in its user's place.
          ...(session && { session: { ...session, cookie: undefined } }),
          ...(isInteraction && { iat: Math.floor(now() / 1000) }),
          ...(place && { place: { family: place.family, number: place.number } }),
        }),
        grant_id: grantId ?? null,
        user_code: typeof userCode === 'string' ? userCodeHash(userCode) : null,
        expires_at: now() + lifetime * 1000,
      };
      if (kind !== 'AuthorizationCode' && !isRefreshToken) return void (await saveRecord(store, record));
      // A repeated request has the same one.
      await addRecord(store, record);
      if (!isRefreshToken) return;
      const { accountId, clientId } = payload;
      if (accountId && clientId) await recordUse(store, { accountId, clientId, at: now() });
    },
    find: isInteraction ? findInteraction : find,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async consume(id) {
      const key = keyOf(id);
      const parents = isRefreshToken ? parentsOf(keyring.refreshTokens, id).map(keyOf) : [];
      if (await consumeRecord(store, { key, parents, now: now() })) return;
      // `find` has allowed this repetition, or a parallel request was first, which gets the same successor.
      if (!repeatable.has(kind)) throw new library.InvalidGrant('already consumed');
      if (isRefreshToken) await consumeAgain(store, { key, now: now() });
    },
    async destroy(id) {
      if (isInteraction) await finishRecord(store, { key: keyOf(id), now: now() });
      else await removeRecord(store, keyOf(id));
    },
    revokeByGrantId: (grantId) => end(service, grantId, library),
  };
}

/** What leads to a refresh token. A repeated request gets the same one, since its response may have been lost. */
const repeatable: ReadonlySet<string> = new Set(['RefreshToken', 'AuthorizationCode', 'DeviceCode']);

/** Counts a refresh of a grant. Throws `too_many_requests`. */
function countRefresh({ refreshesOfGrant }: AdapterDeps, grantId: string): void {
  const origin = { source: grantId, networks: [] };
  const wait = refreshesOfGrant.wait(origin);
  if (wait > 0) throw new Failure('too_many_requests', { retryAfter: Math.ceil(wait / 1000) });
  refreshesOfGrant.count(origin);
}

/** A refresh token of ours whose row is gone because others have followed: someone has kept a copy. */
async function olderCopy({ store, now, keyring }: AdapterDeps, id: string): Promise<AdapterPayload | undefined> {
  const place = placeOf(keyring.refreshTokens, id);
  if (!place || !(await findGrant(store, { id: place.grantId, now: now() }))) return undefined;
  const payloads = (await payloadsOfGrant(store, { grantId: place.grantId, now: now() })).map((text) =>
    JSON.parse(text),
  );
  const later = payloads.find((one) => one.place?.family === place.family && one.place.number > place.number);
  return later && { ...later, jti: id, consumed: Math.floor(now() / 1000) };
}

/** An application with a secret has a share of its own, since all its users come from its server's address. */
function admitBeginning({ openIdBeginnings }: AdapterDeps, request: CurrentRequest | undefined): void {
  if (!request) return;
  const { client, visitor } = request;
  const isAuthenticated = client !== undefined && client.clientAuthMethod !== 'none';
  openIdBeginnings.admit(isAuthenticated ? { source: `client ${client.clientId}`, networks: [] } : visitor);
}

/**
 * The provider's session is a view of ours: routes put the id of our session into the cookie that the provider reads, and
 * it never sets one. So it ends with ours, without any synchronization.
 */
function sessionOf({ session, account }: NonNullable<CurrentRequest['signedIn']>): AdapterPayload {
  const { authTime, amr, acr } = authenticationOf(session);
  return {
    kind: 'Session',
    jti: session.id,
    // The same for all sessions, so that a person who must sign in again can continue the request.
    uid: 'browser',
    accountId: account.id,
    loginTs: authTime,
    amr: [...amr],
    acr,
    iat: authTime,
    exp: Number.MAX_SAFE_INTEGER,
  };
}

interface UsedToken {
  readonly record: OpenIdRecordsTable;
  /** The refresh tokens that may follow from it. */
  readonly successors: readonly string[];
  /** Whether it may be late: within the grace period, repetitions are not counted. */
  readonly mayBeLate: boolean;
  readonly now: number;
}

/**
 * Whether a code or refresh token that was used before may be used again: its successor is unused, so the response was lost
 * or two requests were parallel. Otherwise someone has a copy (RFC 9700, section 4.14.2).
 */
async function mayRepeat(store: Store, { record, successors, mayBeLate, now }: UsedToken): Promise<boolean> {
  for (const token of successors) {
    const successor = await findRecord(store, { key: recordKey('RefreshToken', token), now });
    if (successor?.consumed_at != null) return false;
  }
  if (record.consumed_at !== null && record.consumed_at > now - refreshGrace) return true;
  if (!mayBeLate) return false;
  return record.grant_id !== null && countLateResponse(store, { id: record.grant_id, max: maxLateResponses });
}
