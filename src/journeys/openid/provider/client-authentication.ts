import type { IncomingMessage } from 'node:http';
import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { Failure } from '../../../contract/failures.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import { isLoopbackHost } from '../../../contract/pages.ts';
import { clientSecretHash, equal } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import type { SessionsTable } from '../../../store/access/sessions.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import { type Client, listClientSecrets } from '../../../store/applications/clients.ts';
import type { Visitor } from '../../../store/visitor.ts';

interface HashedClient {
  readonly clientId: string;
  compareClientSecret(secret: string): Promise<boolean>;
}

/**
 * Makes a provider compare secrets with our hashes, in constant time. A secret has 256 bits, so guesses need no lockout, which
 * would also refuse the right secret from the same address.
 */
export function compareHashedSecrets(
  Provider: { readonly ctx: { readonly req: IncomingMessage } | undefined },
  provider: Provider,
  { store, clientSecretFailures }: Pick<Service, 'store' | 'clientSecretFailures'>,
): void {
  const { prototype } = provider.Client as unknown as { prototype: HashedClient };
  prototype.compareClientSecret = async function (secret) {
    const { clientId } = this;
    // In an Authorization header, a plus sign that a client did not encode is read as a space, which no secret has.
    const presented = Buffer.from(clientSecretHash(clientId, secret.replaceAll(' ', '+')));
    const isKnown = (await listClientSecrets(store, clientId))
      .map(({ hash }) => equal(Buffer.from(hash), presented))
      .some(Boolean);
    if (isKnown || !Provider.ctx) return isKnown;
    const { visitor } = browserRequestOf(Provider.ctx.req);
    const wait = clientSecretFailures.wait(visitor);
    if (wait > 0) throw new Failure('too_many_requests', { retryAfter: Math.ceil(wait / 1000) });
    clientSecretFailures.count(visitor);
    return false;
  };
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** A client as the provider reads it (OpenID Connect Dynamic Client Registration 1.0, section 2). */
export const metadataOf = (client: Client): AdapterPayload => ({
  client_id: client.id,
  client_name: client.name,
  application_type: isNative(client) ? 'native' : 'web',
  redirect_uris: [...client.redirectUris],
  response_types: client.redirectUris.length > 0 ? ['code'] : [],
  grant_types: [
    ...(client.redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(client.redirectUris.length > 0 || client.usesDeviceFlow ? ['refresh_token'] : []),
    ...(client.isService ? ['client_credentials'] : []),
    ...(client.usesDeviceFlow ? [deviceGrant] : []),
  ],
  token_endpoint_auth_method: client.isPublic ? 'none' : 'client_secret_basic',
  // The provider never sees a secret: `compareClientSecret` compares hashes.
  ...(!client.isPublic && { client_secret: 'see client_secrets' }),
  id_token_signed_response_alg: client.signing,
  without_pkce: client.withoutPkce,
});

/** An app on a telephone or a desk, whose loopback port is free (RFC 8252, section 7.3). */
const isNative = ({ isPublic, redirectUris }: Client): boolean =>
  isPublic &&
  redirectUris.some((uri) => {
    const { protocol, hostname } = new URL(uri);
    return !/^https?:$/.test(protocol) || (protocol === 'http:' && isLoopbackHost(hostname));
  });

/** The browser behind a request as we verified it; the provider reads this instead of its headers and cookies. */
export interface BrowserRequest {
  /** Our live session in this browser, and its account. */
  readonly signedIn: { readonly session: SessionsTable; readonly account: AccountsTable } | undefined;
  /** The language of our pages, unless the application requests another one. */
  readonly language: LanguageCode;
  readonly visitor: Visitor;
  /** Finds the request in the log. */
  readonly reference: string;
  /** The clients that the provider has read for this request, by id: everything else uses the same ones. */
  readonly clients: Map<string, Client>;
}

const requests = new WeakMap<IncomingMessage, BrowserRequest>();

export const rememberBrowserOf = (raw: IncomingMessage, request: Omit<BrowserRequest, 'clients'>): unknown =>
  requests.set(raw, { ...request, clients: new Map() });

/** Throws if the request did not come through our routes. */
export function browserRequestOf(raw: IncomingMessage): BrowserRequest {
  const known = requests.get(raw);
  if (!known) throw new Error('the OpenID provider received a request around its routes');
  return known;
}

/** The client of a request, once the provider knows it. */
export const clientOfRequest = ({ req, oidc }: KoaContextWithOIDC): Client | undefined =>
  browserRequestOf(req).clients.get(oidc.client?.clientId ?? '');
