import { createHmac, createPublicKey } from 'node:crypto';
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { AccessToken, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { splitScopes } from '../../../contract/openid-scopes.ts';
import { days, minutes } from '../../../contract/units.ts';
import { equal } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { sessionLifetime } from '../../../store/access/sessions.ts';
import { groupsOf } from '../../../store/applications/account-groups.ts';
import { findGrantOfSignIn } from '../../../store/applications/client-grants.ts';
import { findClient, scopesOfResources } from '../../../store/applications/clients.ts';

const inSeconds = (milliseconds: number) => milliseconds / 1000;

/** How long a grant lasts that does not depend on a session: after this, the person signs in again. */
export const offlineLifetime = days(365);

/** Lifetimes in seconds. A grant ends with its session, even if its tokens are valid for longer. */
export const lifetimes = {
  AuthorizationCode: inSeconds(minutes(1)),
  AccessToken: inSeconds(minutes(10)),
  ClientCredentials: inSeconds(minutes(10)),
  IdToken: inSeconds(minutes(10)),
  /** Unused; each refresh issues a new one. */
  RefreshToken: inSeconds(days(30)),
  DeviceCode: inSeconds(minutes(10)),
  Interaction: inSeconds(minutes(60)),
  /** The library requires both, but our tables decide when they end (`adapter.ts`). */
  Session: inSeconds(sessionLifetime),
  Grant: inSeconds(offlineLifetime),
};

/**
 * A refresh token says from which grant and code it comes, how many came before it, and that we made it. So a repeated request
 * gets the same successor although we store only hashes, and an old copy is recognized although its row is gone.
 */
interface Place {
  readonly grantId: string;
  /** The tokens that follow from one code. */
  readonly family: string;
  readonly number: number;
}

const mac = (key: Buffer, purpose: string, text: string): string =>
  createHmac('sha256', key).update(`client refresh token!${purpose}!`).update(text).digest('base64url');

/** The code that answers a request which our pages have finished. */
export const codeOf = (key: Buffer, request: string): string => mac(key, 'code', request);

function write(key: Buffer, { grantId, family, number }: Place): string {
  const text = `${grantId}.${family}.${number}`;
  return `${text}.${mac(key, 'token', text)}`;
}

const form = /^(([\w-]{43})\.([\w-]{22})\.(\d{1,9}))\.([\w-]{43})$/;

/** The place of a token that one of the keys made; undefined for any other text. */
export function placeOf(keys: readonly Buffer[], token: string): Place | undefined {
  const [, text = '', grantId = '', family = '', number, signature = ''] = form.exec(token) ?? [];
  const isOurs = keys.some((key) => equal(Buffer.from(mac(key, 'token', text)), Buffer.from(signature)));
  return isOurs ? { grantId, family, number: Number(number) } : undefined;
}

/** The first refresh token of a code, or the next one after a refresh token: one text for each key, the current key first. */
export function successorsOf(
  keys: readonly Buffer[],
  { parent, grantId }: { readonly parent: string; readonly grantId: string },
): readonly string[] {
  const place = placeOf(keys, parent);
  return keys.map((key) =>
    place
      ? write(key, { ...place, number: place.number + 1 })
      : write(key, { grantId, family: mac(key, 'family', parent).slice(0, 22), number: 0 }),
  );
}

/** The refresh token before this one, one text for each key; none for the first. */
export function parentsOf(keys: readonly Buffer[], token: string): readonly string[] {
  const place = placeOf(keys, token);
  if (!place || place.number === 0) return [];
  return keys.map((key) => write(key, { ...place, number: place.number - 1 }));
}

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
