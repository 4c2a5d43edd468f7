import { decodeJwt } from 'jose';
import type { AdapterPayload } from 'oidc-provider';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { refuse } from '../../../contract/failures.ts';
import { knownScopes, type Scope, scopesForResources, splitScopes } from '../../../contract/openid-scopes.ts';
import { iso } from '../../../contract/units.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount, type Owner } from '../../../store/access/session-owner.ts';
import { findSession } from '../../../store/access/sessions.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import {
  type Client,
  connectionsOfAccount,
  disconnectClient,
  findClient,
  namesOfApis,
  scopesOfResources,
} from '../../../store/applications/clients.ts';
import { endGrantsOfClient } from '../../../store/applications/end-grants.ts';
import { findRecord, replacePayload } from '../../../store/applications/openid-records.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { recordKey } from '../provider/adapter.ts';
import { authenticationOf } from '../provider/claims.ts';
import { recordConnection } from '../provider/grants.ts';
import { mayEnter, type StepResult } from '../provider/next-step.ts';
import * as contract from './connect.contract.ts';
import { disconnectApp, type listApps } from './connect.contract.ts';

/** A request needs at most a sign-in, another one and a consent. */
const maxTurns = 5;

interface RequestUser {
  readonly id: string;
  readonly accountId: string;
  readonly sessionId: string;
}

/** The application of a request, for people who are not signed in yet. */
export async function describeRequest(
  service: Service,
  id: string,
): Promise<ResponseBody<typeof contract.readRequest>> {
  const request = await findPendingRequest(service, id);
  if (!request) throw refuse(contract.readRequest, 'not_found');
  return { app: request.client.name };
}

/** An application by its id, for people whom its guard has turned away. */
export async function describeApp({ store }: Service, id: string): Promise<ResponseBody<typeof contract.readApp>> {
  const client = await findClient(store, id);
  if (!client) throw refuse(contract.readApp, 'not_found');
  return { app: client.name };
}

/** The next step of a signed-in user; a request that only waited for a sign-in can continue. */
export async function describeStep(
  service: Service,
  deciding: RequestUser,
): Promise<ResponseBody<typeof contract.readStep>> {
  const request = await findPendingRequest(service, deciding.id);
  if (!request) throw refuse(contract.readStep, 'not_found');
  const step = await stepOf(service, request, deciding);
  if (step === 'continue') await request.finish({});
  const { client, scopes, resources, to, redirectUri } = request;
  const apis = await describeApis(service, resources);
  return { step, app: client.name, site: siteOf(redirectUri), scopes: [...scopes], apis, to };
}

/** Names APIs for a page: by the client that provides each and its host, or by its address; with the scopes of its own. */
export async function describeApis(
  { store }: Pick<Service, 'store'>,
  resources: Readonly<Record<string, string>>,
): Promise<ResponseBody<typeof contract.readStep>['apis']> {
  const names = await namesOfApis(store, Object.keys(resources));
  return Object.entries(resources).map(([uri, scopes]) => {
    const name = names.get(uri);
    const site = siteOf(uri);
    return {
      name: name === undefined || site === '' ? (name ?? uri) : `${name} (${site})`,
      scopes: splitScopes(scopes).filter((scope) => knownScopes(scope).length === 0),
    };
  });
}

async function stepOf(
  service: Service,
  { prompt, client, begun, hinted, turns }: PendingRequest,
  { accountId, sessionId }: RequestUser,
): Promise<ResponseBody<typeof contract.readStep>['step']> {
  if (prompt === 'login') {
    const isExpected = (hinted === undefined || hinted === accountId) && turns < maxTurns;
    return isExpected && (await isRecent(service, sessionId, begun)) ? 'continue' : 'sign_in_again';
  }
  if (!(await mayEnter(service, client, accountId))) return 'refused';
  return prompt === 'consent' ? 'consent' : 'continue';
}

/** Whether the session began, or its owner proved their identity, after the request. */
async function isRecent({ store }: Service, sessionId: string, begun: number): Promise<boolean> {
  const session = await findSession(store, sessionId);
  return session !== undefined && authenticationOf(session).authTime >= begun;
}

/** The host of a web application, or the scheme of an app: a name alone could be anyone's. */
function siteOf(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (!url) return '';
  return url.host === '' ? url.protocol : url.host;
}

/** Stores the decision of a user. The browser then continues the request, which gets its code or a refusal. */
export async function decideRequest(
  service: Service,
  { id, accountId, sessionId, allow, visitor }: RequestUser & { readonly allow: boolean; readonly visitor: Visitor },
): Promise<ResponseBody<typeof contract.decide>> {
  const request = await findPendingRequest(service, id);
  if (!request) throw refuse(contract.decide, 'not_found');
  const { client, to, prompt } = request;
  if (!allow) {
    await request.finish({ error: 'access_denied', error_description: 'the user refused' });
    return { to };
  }
  if (prompt !== 'consent') throw refuse(contract.decide, 'not_found');
  if (!(await request.finish({ agreed: accountId }))) throw refuse(contract.decide, 'not_found');
  await service.store.transaction().execute(async (trx) => {
    const at = service.now();
    // A user who was shut out meanwhile must not leave a consent behind.
    await lockSignedInAccount(trx, { endpoint: contract.decide, accountId, sessionId, now: at });
    const { scopes, resources } = request;
    await recordConnection(trx, { accountId, client, scopes, resources, visitor, at });
  });
  return { to };
}

/** A request of an application that waits for a person. */
interface PendingRequest {
  readonly id: string;
  readonly client: Client;
  readonly scopes: readonly Scope[];
  /** The scopes of each API. */
  readonly resources: Readonly<Record<string, string>>;
  /** The decision that it waits for (`provider/next-step.ts`). */
  readonly prompt: string;
  /** Seconds since the epoch. */
  readonly begun: number;
  readonly redirectUri: string;
  /** The account that the application expects (`id_token_hint`). */
  readonly hinted: string | undefined;
  readonly turns: number;
  /** The path that continues it. */
  readonly to: string;
  /** Stores what our page decided; false if another tab was first. */
  finish(result: StepResult | { readonly error: string; readonly error_description: string }): Promise<boolean>;
}

/** The request with this id; undefined if it is finished, has expired or never existed. */
async function findPendingRequest(
  { store, now }: Pick<Service, 'store' | 'now'>,
  id: string,
): Promise<PendingRequest | undefined> {
  const key = recordKey('Interaction', id);
  const record = await findRecord(store, { key, now: now() });
  if (!record || record.consumed_at !== null) return undefined;
  const payload: AdapterPayload = JSON.parse(record.payload);
  const client = await findClient(store, String(payload.params?.client_id));
  if (!client) return undefined;
  const former = (payload.lastSubmission ?? {}) as StepResult;
  const begun = former.begun ?? payload.iat ?? 0;
  return {
    id,
    client,
    ...requestedIn(payload.params, client),
    prompt: payload.prompt?.name ?? '',
    begun,
    redirectUri: String(payload.params?.redirect_uri ?? ''),
    hinted: subjectIn(payload.params?.id_token_hint),
    turns: former.turns ?? 0,
    to: `/oidc/auth/${id}`,
    finish: (result) =>
      replacePayload(store, {
        key,
        from: record.payload,
        to: JSON.stringify({
          ...payload,
          result: 'error' in result ? result : { ...former, begun, turns: (former.turns ?? 0) + 1, ...result },
        }),
        grantId: null,
      }),
  };
}

/** What a request asks for: scopes of OpenID Connect, and APIs with their scopes. */
export function requestedIn(
  params: AdapterPayload['params'],
  client: Client,
): Pick<PendingRequest, 'scopes' | 'resources'> {
  const scope = String(params?.scope ?? '');
  const resources = [params?.resource ?? []].flat().map(String);
  return {
    scopes: knownScopes(scope),
    resources: scopesForResources(splitScopes(scope), { resources, own: scopesOfResources(client) }),
  };
}

/** The subject of an ID token, which the provider has verified. */
function subjectIn(token: unknown): string | undefined {
  if (typeof token !== 'string') return undefined;
  return decodeJwt(token).sub;
}

const maxShown = 200;

/** The connected applications of an account with their scopes, the last used first. */
export async function appsOf({ store }: Service, accountId: string): Promise<ResponseBody<typeof listApps>> {
  const connections = await connectionsOfAccount(store, { accountId, max: maxShown });
  const apisOf = await Promise.all(connections.map(({ resources }) => describeApis({ store }, JSON.parse(resources))));
  return {
    apps: connections.map(({ client_id, name, scopes, connected_at, last_used_at }, at) => ({
      id: client_id,
      name,
      scopes: knownScopes(scopes),
      apis: apisOf[at] ?? [],
      connected_at: iso(connected_at),
      last_used_at: iso(last_used_at),
    })),
  };
}

/** Ends the grants of an application for an account, signs the account out there, and forgets the consent. */
export async function disconnect(
  trx: StoreTransaction,
  { accountId, clientId, at, visitor }: Pick<Owner, 'accountId' | 'at' | 'visitor'> & { readonly clientId: string },
): Promise<void> {
  await endGrantsOfClient(trx, { accountId, clientId, at });
  if (!(await disconnectClient(trx, { accountId, clientId }))) throw refuse(disconnectApp, 'not_found');
  await recordActivity(trx, { accountId, at, kind: 'app_disconnected', visitor });
}
