import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { addScopes, claimsOfScopes, knownScopes } from '../../../contract/openid-scopes.ts';
import { randomSecret, sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { ownerOf } from '../../../store/access/session-owner.ts';
import { sessionLifetime } from '../../../store/access/sessions.ts';
import { lockAccountRow } from '../../../store/accounts/accounts.ts';
import { addGrant, extendGrant, findGrantOfSession } from '../../../store/applications/client-grants.ts';
import type { Client } from '../../../store/applications/clients.ts';
import { connectClient, findConnection } from '../../../store/applications/clients.ts';
import type { Store } from '../../../store/database.ts';
import { browserRequestOf } from './client-authentication.ts';
import { offlineLifetime } from './lifetimes.ts';
import { nextStep } from './next-step.ts';

interface Granting {
  readonly accountId: string;
  readonly client: Client;
  /** Undefined for a device. */
  readonly sessionId: string | undefined;
  /** The session that lets a device in. */
  readonly approvedIn?: string;
  readonly scopes: readonly string[];
  readonly now: number;
}

/** Grants scopes to an application; the grant that its session already has gains them. Returns its id and `sid`. */
export async function grantScopes(store: Store, granting: Granting): Promise<{ id: string; sid: string }> {
  const { accountId, client, sessionId, approvedIn = null, scopes, now } = granting;
  const connection = await findConnection(store, { accountId, clientId: client.id });
  const all = addScopes(connection?.scopes ?? '', scopes);
  await connectClient(store, { accountId, clientId: client.id, scopes: all, at: now });
  const isOffline = sessionId === undefined || scopes.includes('offline_access');
  const known = sessionId && (await findGrantOfSession(store, { sessionId, clientId: client.id }));
  if (known) {
    const offline = isOffline || known.offline === 1 ? 1 : 0;
    const united = addScopes(known.scopes, scopes);
    if (united !== known.scopes || offline !== known.offline)
      await extendGrant(store, { id: known.id, scopes: united, offline, expires_at: endOf(offline === 1, now) });
    return known;
  }
  const sid = sessionId === undefined ? randomSecret(128) : sidOf({ sessionId, clientId: client.id });
  const grant = { id: randomSecret(256), sid };
  await addGrant(store, {
    ...grant,
    account_id: accountId,
    client_id: client.id,
    session_id: sessionId ?? null,
    approved_in: approvedIn,
    scopes: addScopes('', scopes),
    offline: isOffline ? 1 : 0,
    created_at: now,
    expires_at: endOf(isOffline, now),
  });
  // A parallel request of the same browser may have been first.
  return (sessionId && (await findGrantOfSession(store, { sessionId, clientId: client.id }))) || grant;
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
    const { sessionId } = browserRequestOf(ctx.req);
    const accountId = ctx.oidc.session?.accountId;
    if (step.prompt !== undefined || !sessionId || !accountId) return undefined;
    const { client } = step;
    const scopes = [...ctx.oidc.requestParamOIDCScopes];
    const granted = await service.store.transaction().execute(async (trx) => {
      const now = service.now();
      // The request may have waited while a reset or an operator ended the session and its grants.
      await lockAccountRow(trx, accountId);
      const owner = await ownerOf(trx, { id: sessionId, now });
      return owner?.id === accountId ? grantScopes(trx, { accountId, client, sessionId, scopes, now }) : undefined;
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
