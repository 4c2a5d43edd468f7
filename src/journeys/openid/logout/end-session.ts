import { createPublicKey } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import type { Service } from '../../../server/service.ts';
import type { NamedSession } from '../../../store/access/sessions.ts';
import { findGrantOfSession } from '../../../store/applications/client-grants.ts';
import { type Client, findClient } from '../../../store/applications/clients.ts';
import { signedInBrowser } from '../provider/claims.ts';
import { sidOf } from '../provider/grants.ts';

interface LogoutRequest {
  /** The parameters of the application's request. */
  readonly given: Readonly<Record<string, string>>;
  readonly session: NamedSession | undefined;
  /** Whether the browser sent its cookies: it leaves them out of requests that a page of another site embeds. */
  readonly sentCookies: boolean;
}

type LogoutVerdict =
  /** The hint proves that the application was signed in to this very session: no page asks. */
  | { readonly state: 'end'; readonly to: string | undefined }
  | { readonly state: 'ask'; readonly query: Record<string, string>; readonly invalid?: InvalidLogout }
  | { readonly state: 'signed out'; readonly to: string | undefined; readonly invalid?: InvalidLogout };

/** Why the parameters of a request count for nothing; its user can sign out all the same. */
interface InvalidLogout {
  readonly client: string | undefined;
  readonly explanation: string;
  readonly value: string;
}

/** Decides about a request to sign out. Anyone can link to it, so without a matching hint our page asks the user. */
export async function judgeLogout(
  service: Service,
  { given, session, sentCookies }: LogoutRequest,
): Promise<LogoutVerdict> {
  const browser = await signedInBrowser(service, session);
  const refuse = (explanation: string, client?: string, value = ''): LogoutVerdict => {
    const invalid = { client, explanation, value };
    if (browser || !sentCookies) return { state: 'ask', query: {}, invalid };
    return { state: 'signed out', to: undefined, invalid };
  };
  const hint = given.id_token_hint === undefined ? undefined : await readHint(service, given.id_token_hint);
  if (given.id_token_hint !== undefined && !hint) return refuse('id_token_hint is not an ID token of ours');
  if (hint && given.client_id !== undefined && given.client_id !== hint.aud)
    return refuse('client_id is not the audience of id_token_hint', hint.aud);
  const clientId = hint?.aud ?? given.client_id;
  const { post_logout_redirect_uri: uri, state } = given;
  const target = await logoutTarget(service, { clientId, uri, state });
  if (!target) {
    const client = clientId === undefined ? undefined : await findClient(service.store, clientId);
    if (!client) return refuse('client_id is unknown');
    const [address = ''] = (uri ?? '').split(/[?#]/, 1);
    return refuse('post_logout_redirect_uri is not registered', client.id, address);
  }
  if (!browser && sentCookies) return { state: 'signed out', to: target.to };
  if (browser && hint?.sub === browser.account.id && (await isOf(service, browser.session.id, hint)))
    return { state: 'end', to: target.to };
  const query = {
    ...(clientId !== undefined && { client_id: clientId }),
    ...(target.to !== undefined && uri !== undefined && { post_logout_redirect_uri: uri }),
    ...(target.to !== undefined && state !== undefined && { state }),
  };
  return { state: 'ask', query };
}

/** Whether an ID token names this session: also after its application revoked the grant, or the session replaced another one. */
async function isOf({ store }: Service, sessionId: string, { aud: clientId, sid }: Hint): Promise<boolean> {
  return (
    sid === sidOf({ sessionId, clientId }) || sid === (await findGrantOfSession(store, { sessionId, clientId }))?.sid
  );
}

interface Hint {
  readonly aud: string;
  readonly sub: string;
  readonly sid: unknown;
}

/** The claims of an ID token of ours, which may have expired; undefined for any other text. */
async function readHint({ keyring, config }: Service, token: string): Promise<Hint | undefined> {
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    const keys = alg === 'ES256' ? keyring.accessTokens : keyring.idTokens;
    const key = keys.find((one) => one.kid === kid);
    if (!key) return undefined;
    const options = { algorithms: ['ES256', 'RS256'] };
    const { payload, protectedHeader } = await compactVerify(token, createPublicKey(key.privateKey), options);
    const { iss, aud, sub, sid } = JSON.parse(new TextDecoder().decode(payload));
    const isIdToken = protectedHeader.typ === undefined || protectedHeader.typ === 'JWT';
    if (!isIdToken || iss !== config.PUBLIC_URL || typeof aud !== 'string' || typeof sub !== 'string') return undefined;
    return { aud, sub, sid };
  } catch {
    return undefined;
  }
}

type LogoutTarget =
  /** `to` is undefined if the application does not ask to return. */
  | { readonly client: Client | undefined; readonly to: string | undefined }
  /** The client is unknown, or has not registered the URI. */
  | undefined;

/** Where a browser goes after a sign-out: only to a URI that its client has registered, character for character. */
export async function logoutTarget(
  { store }: Pick<Service, 'store'>,
  { clientId, uri, state }: { clientId: string | undefined; uri: string | undefined; state: string | undefined },
): Promise<LogoutTarget> {
  // Without a client, the URI is unregistered: the browser stays here.
  if (clientId === undefined) return { client: undefined, to: undefined };
  const client = await findClient(store, clientId);
  if (!client || (uri !== undefined && !client.postLogoutUris.includes(uri))) return undefined;
  if (uri === undefined) return { client, to: undefined };
  const to = new URL(uri);
  if (state !== undefined) to.searchParams.set('state', state);
  return { client, to: to.href };
}
