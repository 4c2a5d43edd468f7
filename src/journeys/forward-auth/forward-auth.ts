import { addScopes, type Scope } from '../../contract/openid-scopes.ts';
import { guardPath } from '../../contract/pages.ts';
import { hours } from '../../contract/units.ts';
import { randomSecret, sha256 } from '../../security/macs.ts';
import {
  type ForwardAuthState,
  packText,
  readForwardAuthState,
  readRefreshToken,
  unpackText,
  writeForwardAuthCookie,
  writeForwardAuthState,
} from '../../security/tokens.ts';
import type { Service } from '../../server/service.ts';
import { findSession, isLive, refreshGrace } from '../../store/access/sessions.ts';
import { type Client, connectClient, findConnection } from '../../store/applications/clients.ts';
import { forwardAuthCodes } from '../../store/applications/openid-records.ts';
import type { AccessDecisions } from './access-decisions.ts';

/** For the cookie that binds a sign-in to the browser that began it. */
export const newNonce = (): string => randomSecret(256);

/** Time for a sign-in or a registration in between. */
const stateLifetime = hours(2);

interface SignInStart extends Pick<ForwardAuthState, 'client' | 'origin' | 'place'> {
  /** The secret in the browser's cookie on the application's host. */
  readonly nonce: string;
}

/** The address on the application's host at which a browser begins a sign-in. */
export const startAddress = ({ client, origin, place }: Omit<SignInStart, 'nonce'>): string =>
  `${origin}${guardPath}start?${new URLSearchParams({ client, place: packText(place) })}`;

/** The address of ours to which the application's host sends a browser that is not signed in there. */
export function signInAddress({ keyring, config, now }: Service, { nonce, ...wanted }: SignInStart): string {
  const state = writeForwardAuthState(keyring.forwardAuth[0] as Buffer, {
    ...wanted,
    nonceHash: sha256(nonce),
    at: now(),
  });
  return `${config.PUBLIC_URL}/forward-auth/${encodeURIComponent(wanted.client)}/sign-in?state=${state}`;
}

/** `to` is a URL; `signedOut` means that the browser must sign in first. */
type Entrance = { readonly to: string } | 'signedOut' | 'noAccess' | 'invalid';

interface Entering {
  readonly clientId: string;
  readonly state: string;
  /** The browser's refresh token on our own origin. */
  readonly token: string | undefined;
}

/** Sends a signed-in browser back to the application with a code, if its account has access. */
export async function enter(
  service: Service,
  decisions: AccessDecisions,
  { clientId, state: text, token }: Entering,
): Promise<Entrance> {
  const state = readForwardAuthState(service.keyring.forwardAuth, text);
  const client = state && (await decisions.client(clientId, undefined));
  if (!client || state.client !== client.id || !protectedOrigins(client).includes(state.origin)) return 'invalid';
  const at = service.now();
  // The application begins again: its host requests a new state.
  if (state.at <= at - stateLifetime) return { to: state.origin + state.place };
  const sessionId = await liveSession(service, token);
  if (sessionId === undefined) return 'signedOut';
  const admitted = await decisions.admit(client, sessionId);
  if (typeof admitted === 'string') return admitted;
  const { id: accountId } = admitted.account;
  const known = await findConnection(service.store, { accountId, clientId: client.id });
  const scopes = addScopes(known?.scopes ?? '', passedOn);
  await connectClient(service.store, {
    accountId,
    clientId: client.id,
    scopes,
    resources: known?.resources ?? '{}',
    at,
  });
  const code = randomSecret(256);
  await forwardAuthCodes.add(service.store, {
    hash: sha256(code),
    session_id: sessionId,
    client_id: client.id,
    origin: state.origin,
    nonce_hash: state.nonceHash,
    created_at: at,
  });
  return { to: `${callbackOf(state.origin)}?code=${code}&state=${text}` };
}

/** What the application gets, as its scopes would be. */
const passedOn: readonly Scope[] = ['openid', 'profile', 'email', 'groups'];

/** The live session of a refresh token that is current or was until seconds ago: an older one may be a copy. */
async function liveSession({ keyring, store, now }: Service, token: string | undefined): Promise<string | undefined> {
  const presented = readRefreshToken(keyring.refreshTokens, token ?? '');
  const session = presented && (await findSession(store, presented.sessionId));
  if (!session || !isLive(session, now())) return undefined;
  const isCurrent = presented.generation >= session.generation;
  const isParent = presented.generation === session.generation - 1 && session.rotated_at > now() - refreshGrace;
  return isCurrent || isParent ? session.id : undefined;
}

interface Return {
  readonly origin: string;
  readonly code: string;
  readonly state: string;
  /** The secret in the browser's cookie on the application's host. */
  readonly nonce: string | undefined;
}

/** The cookie for the application's host and the place to go to; undefined if this browser did not begin there. */
export async function finish(
  { keyring, store, now }: Service,
  { origin, code, state: text, nonce }: Return,
): Promise<{ readonly cookie: string; readonly place: string } | undefined> {
  const state = readForwardAuthState(keyring.forwardAuth, text);
  if (!state || nonce === undefined || state.origin !== origin || state.nonceHash !== sha256(nonce)) return undefined;
  const { client, nonceHash, place } = state;
  // For its minute, this browser can repeat a request whose response was lost.
  const found = await forwardAuthCodes.find(store, { hash: sha256(code) }, now());
  if (found?.client_id !== client || found.origin !== origin || found.nonce_hash !== nonceHash) return undefined;
  const { session_id: sessionId } = found;
  return { cookie: writeForwardAuthCookie(keyring.forwardAuth[0] as Buffer, { client, origin, sessionId }), place };
}

const callbackPath = `${guardPath}callback`;

/** The origins that a client protects: those of its redirect URIs that end in `/.vestibule/callback`. */
export function protectedOrigins({ redirectUris }: Pick<Client, 'redirectUris'>): readonly string[] {
  return redirectUris.flatMap((uri) => {
    const url = URL.parse(uri);
    return url && url.href === `${url.origin}${callbackPath}` ? [url.origin] : [];
  });
}

const callbackOf = (origin: string): string => `${origin}${callbackPath}`;

/** Characters: proxies pass on no longer address by default. */
const longestPlace = 8192;

/** A path on an origin with its query; `/` for anything that leads elsewhere. */
export function placeOn(origin: string, given: string | undefined): string {
  const path = unpackText(given ?? '', longestPlace);
  if (path.length > longestPlace || !/^\/(?![/\\])/.test(path)) return '/';
  const url = URL.parse(path, origin);
  if (url?.origin !== origin || url.pathname.startsWith('//') || url.pathname.startsWith(guardPath)) return '/';
  return url.pathname + url.search;
}
