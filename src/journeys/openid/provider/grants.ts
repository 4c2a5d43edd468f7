import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { addResources, addScopes, claimsOfScopes, knownScopes } from '../../../contract/openid-scopes.ts';
import { randomSecret, sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { ownerOf } from '../../../store/access/session-owner.ts';
import { sessionLifetime } from '../../../store/access/sessions.ts';
import { lockAccountRow } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { addGrant, extendGrant, findGrantOfSession } from '../../../store/applications/client-grants.ts';
import { type Client, connectClient, findConnection, holdClient } from '../../../store/applications/clients.ts';
import type { Store } from '../../../store/database.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { browserRequestOf } from './client-authentication.ts';
import { mayEnter, nextStep, requestedResources } from './next-step.ts';
import { offlineLifetime } from './tokens.ts';

interface Granting {
  readonly accountId: string;
  readonly client: Client;
  /** Undefined for a device. */
  readonly sessionId: string | undefined;
  /** The session that lets a device in. */
  readonly approvedIn?: string;
  readonly scopes: readonly string[];
  /** The scopes of each API. */
  readonly resources: Readonly<Record<string, string>>;
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
  readonly now: number;
}

/**
 * Grants scopes to an application; the grant that its session already has gains them. Returns its id and `sid`; undefined
 * if the application no longer admits the account.
 */
export async function grantScopes(store: Store, granting: Granting): Promise<{ id: string; sid: string } | undefined> {
  const { accountId, client, sessionId, approvedIn = null, scopes, resources, now } = granting;
  await recordConnection(store, { ...granting, at: now });
  const isOffline = sessionId === undefined || scopes.includes('offline_access');
  const known = sessionId && (await findGrantOfSession(store, { sessionId, clientId: client.id }));
  if (known) {
    const offline = isOffline || known.offline === 1 ? 1 : 0;
    const united = { scopes: addScopes(known.scopes, scopes), resources: addResources(known.resources, resources) };
    if (united.scopes !== known.scopes || united.resources !== known.resources || offline !== known.offline)
      await extendGrant(store, { id: known.id, ...united, offline, expires_at: endOf(offline === 1, now) });
    return known;
  }
  // Groups may have changed since the request read them. From here on, a change finds this grant, and ends it.
  const held = await holdClient(store, client.id);
  if (!held || !(await mayEnter({ store }, held, accountId))) return undefined;
  const sid = sessionId === undefined ? randomSecret(128) : sidOf({ sessionId, clientId: client.id });
  const grant = { id: randomSecret(256), sid };
  await addGrant(store, {
    ...grant,
    account_id: accountId,
    client_id: client.id,
    session_id: sessionId ?? null,
    approved_in: approvedIn,
    scopes: addScopes('', scopes),
    resources: JSON.stringify(resources),
    offline: isOffline ? 1 : 0,
    created_at: now,
    expires_at: endOf(isOffline, now),
  });
  // A parallel request of the same browser may have been first.
  return (sessionId && (await findGrantOfSession(store, { sessionId, clientId: client.id }))) || grant;
}

interface Connecting extends Pick<Granting, 'accountId' | 'client' | 'scopes' | 'resources' | 'visitor'> {
  readonly at: number;
}

/** Records that an account uses an application; its first entry, and each that allows more, leaves a line of activity. */
export async function recordConnection(
  store: Store,
  { accountId, client, scopes, resources, visitor, at }: Connecting,
): Promise<void> {
  const former = await findConnection(store, { accountId, clientId: client.id });
  const united = {
    scopes: addScopes(former?.scopes ?? '', scopes),
    resources: addResources(former?.resources ?? '{}', resources),
  };
  // Its tokens record when it is used.
  if (united.scopes === former?.scopes && united.resources === former.resources) return;
  await connectClient(store, { accountId, clientId: client.id, ...united, at });
  await recordActivity(store, { accountId, at, kind: 'app_connected', visitor });
}

/**
 * Names a session to an application. Derived, so that a sign-out recognizes the session even if the application has revoked
 * its grant before; the id of a session is random, so nobody finds it from this.
 */
export const sidOf = ({ sessionId, clientId }: { readonly sessionId: string; readonly clientId: string }): string =>
  sha256(`sid:${sessionId}:${clientId}`).slice(0, 22);

const endOf = (isOffline: boolean, now: number) => now + (isOffline ? offlineLifetime : sessionLifetime);

/** The grant of a request whose user has nothing left to decide; undefined otherwise. */
export const grantLoader =
  (service: Pick<Service, 'store' | 'now'>, provider: () => Provider) => async (ctx: KoaContextWithOIDC) => {
    const step = await nextStep(service, ctx);
    const { signedIn, visitor } = browserRequestOf(ctx.req);
    const accountId = ctx.oidc.session?.accountId;
    if (step.prompt !== undefined || !signedIn || !accountId) return undefined;
    const sessionId = signedIn.session.id;
    const { client } = step;
    const scopes = [...ctx.oidc.requestParamOIDCScopes];
    const resources = requestedResources(ctx, client);
    const granted = await service.store.transaction().execute(async (trx) => {
      const now = service.now();
      // The request may have waited while a reset or an operator ended the session and its grants.
      await lockAccountRow(trx, accountId);
      const owner = await ownerOf(trx, { id: sessionId, now });
      if (owner?.id !== accountId) return undefined;
      return grantScopes(trx, { accountId, client, sessionId, scopes, resources, visitor, now });
    });
    if (!granted) return undefined;
    const { id, sid } = granted;
    ctx.oidc.session?.sidFor(client.id, sid);
    if (client.claimsInIdToken) ctx.oidc.claims.id_token = { ...ctx.oidc.claims.id_token, ...claimsFor(scopes) };
    return provider().Grant.find(id);
  };

/** A request for all claims of these scopes, in the form of the `claims` parameter. */
export const claimsFor = (scopes: readonly string[]): Record<string, null> =>
  Object.fromEntries(
    knownScopes(addScopes('', scopes))
      .flatMap((scope) => claimsOfScopes[scope])
      .filter((claim) => claim !== 'sub')
      .map((claim) => [claim, null]),
  );
