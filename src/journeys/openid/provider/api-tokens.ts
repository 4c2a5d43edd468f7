import { createPublicKey } from 'node:crypto';
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { AccessToken, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { splitScopes } from '../../../contract/openid-scopes.ts';
import type { Service } from '../../../server/service.ts';
import { groupsOf } from '../../../store/applications/account-groups.ts';
import { findGrantOfSignIn } from '../../../store/applications/client-grants.ts';
import { findClient, scopesOfResources } from '../../../store/applications/clients.ts';

type Deps = Pick<Service, 'store' | 'now' | 'keyring' | 'config'>;

/** What a JWT for an API says besides the usual: the sign-in that it depends on, and the groups if they were granted. */
export async function claimsForApi({ store }: Pick<Service, 'store'>, token: AccessToken | ClientCredentials) {
  if (token.kind !== 'AccessToken' || !token.resourceServer) return undefined;
  const { accountId, scope, sid } = token as AccessToken & { readonly sid?: string };
  const hasGroups = splitScopes(scope ?? '').includes('groups');
  return { sid, ...(hasGroups && { groups: [...(await groupsOf(store, accountId))] }) };
}

/**
 * Introspection of JWTs, which the library refuses, for the client that got one and for the API that it is for (RFC 7662).
 * Every other token is inactive.
 */
export async function introspectTokensOfApis(
  deps: Deps,
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  const { oidc } = ctx;
  const isRefused = (ctx.body as { error?: unknown } | undefined)?.error === 'unsupported_token_type';
  if (oidc?.route !== 'introspection' || !isRefused || !oidc.client) return;
  ctx.status = 200;
  ctx.body = (await liveClaims(deps, { token: String(oidc.params?.token), clientId: oidc.client.clientId })) ?? {
    active: false,
  };
}

interface Introspection {
  readonly token: string;
  /** The client that asks. */
  readonly clientId: string;
}

async function liveClaims(deps: Deps, { token, clientId }: Introspection): Promise<object | undefined> {
  const claims = await verifiedClaims(deps, token);
  const [asking, holder] = await Promise.all([
    findClient(deps.store, clientId),
    findClient(deps.store, String(claims?.client_id ?? '')),
  ]);
  if (!claims || !asking || !holder) return undefined;
  const audience = String(claims.aud);
  const mayAsk = holder.id === asking.id || asking.apis.includes(audience);
  if (!mayAsk || !scopesOfResources(holder).has(audience) || !(await isLive(deps, claims, holder))) return undefined;
  return { active: true, ...claims, token_type: 'Bearer' };
}

/** Whether the sign-in behind a token lasts; a token of a service depends on nobody's sign-in. */
async function isLive({ store, now }: Deps, { sub = '', sid }: JWTPayload, holder: { id: string; isService: boolean }) {
  if (sub === holder.id) return holder.isService;
  const signIn = { accountId: sub, clientId: holder.id, sid: String(sid), now: now() };
  return (await findGrantOfSignIn(store, signIn)) !== undefined;
}

/** The claims of a JWT that we signed for an API, and that has not expired. */
async function verifiedClaims({ keyring, config, now }: Deps, token: string): Promise<JWTPayload | undefined> {
  try {
    const { kid } = decodeProtectedHeader(token);
    const key = keyring.accessTokens.find((one) => one.kid === kid);
    if (!key) return undefined;
    const { payload } = await jwtVerify(token, createPublicKey(key.privateKey), {
      ...{ algorithms: ['ES256'], typ: 'at+jwt', issuer: config.PUBLIC_URL },
      currentDate: new Date(now()),
    });
    return payload;
  } catch {
    return undefined;
  }
}
