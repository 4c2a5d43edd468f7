import type { Configuration, errors, interactionPolicy, JWK, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { languages } from '../../../contract/languages.ts';
import { allScopes, claimsOfScopes, splitScopes } from '../../../contract/openid-scopes.ts';
import type { SigningKey } from '../../../security/tokens.ts';
import type { Service } from '../../../server/service.ts';
import { hasClients, scopesOfResources } from '../../../store/applications/clients.ts';
import { openAdapter } from './adapter.ts';
import { type Answering, answerWith } from './answer.ts';
import { accountFinder, acrValues, nameClaims } from './claims.ts';
import { browserRequestOf, clientOfRequest, compareHashedSecrets } from './client-authentication.ts';
import { grantLoader } from './grants.ts';
import { allowFormPost, correctAnswers, interactionUrl, nextStep, showError } from './next-step.ts';
import { claimsForApi, codeOf, introspectTokensOfApis, lifetimes, successorsOf } from './tokens.ts';

/** The cookie in which routes name our session to the provider. Browsers never have it. */
export const sessionCookie = 'openid_session';
/** The cookies in which browsers keep a request that has begun. */
export const interactionCookie = 'openid_interaction';
export const resumeCookie = 'openid_resume';

type ProviderDeps = Pick<
  Service,
  'store' | 'now' | 'keyring' | 'config' | 'clientSecretFailures' | 'openIdBeginnings' | 'refreshesOfGrant'
>;

/**
 * Loads the library and opens a provider with the current keys, which it keeps: after a rotation, routes open another one.
 * Loaded on demand, because it takes memory that a service without applications does not need.
 */
async function openProvider(service: ProviderDeps, keys: readonly JWK[]): Promise<Answering> {
  const library = await withoutNotices(() => import('oidc-provider'));
  const { errors } = library;
  const current = () => {
    const { oidc, req } = library.Provider.ctx ?? {};
    if (!oidc || !req) return undefined;
    const { client, route } = oidc;
    return { client, isTokenRequest: route === 'token', ...browserRequestOf(req) };
  };
  let provider: Provider | undefined;
  const configuration: Configuration = {
    adapter: (kind: string) => openAdapter(service, kind, { ...errors, current }),
    jwks: { keys: [...keys] },
    routes: {
      authorization: '/oidc/auth',
      token: '/oidc/token',
      userinfo: '/oidc/me',
      introspection: '/oidc/introspection',
      revocation: '/oidc/revocation',
      device_authorization: '/oidc/device',
      code_verification: '/device/',
      pushed_authorization_request: '/oidc/par',
      jwks: '/.well-known/jwks.json',
    },
    scopes: [...allScopes],
    claims: Object.fromEntries(Object.entries(claimsOfScopes).map(([scope, claims]) => [scope, [...claims]])),
    acrValues: [...acrValues],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: (_ctx, client) => client.without_pkce !== true },
    extraClientMetadata: { properties: ['without_pkce'] },
    conformIdTokenClaims: true,
    ttl: lifetimes,
    features: {
      devInteractions: { enabled: false },
      claimsParameter: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, mask: '****-****' },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (ctx) => {
          refuseUnknownScopes({ ctx, errors });
          return undefined as unknown as string;
        },
        useGrantedResource: () => false,
        getResourceServerInfo: (ctx, resource) => resourceServer(service, { ctx, resource, errors }),
      },
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256', 'RS256'] },
    cookies: {
      names: { session: sessionCookie, interaction: interactionCookie, resume: resumeCookie },
      short: { httpOnly: true, sameSite: 'lax', signed: false },
      long: { httpOnly: true, sameSite: 'lax', signed: false },
    },
    // The URIs of apps have no origin; that of sandboxed pages and local files is also written as null.
    clientBasedCORS: (_ctx, origin, client) =>
      origin !== 'null' &&
      client.clientAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    interactions: { policy: openPolicy(service, library), url: interactionUrl },
    extraTokenClaims: (_ctx, token) => claimsForApi(service, token),
    extraParams: {
      scope: (ctx, scope, client) => {
        const { params } = ctx.oidc;
        if (client.without_pkce === true && !params?.code_challenge && !params?.nonce && params?.response_type)
          throw new errors.InvalidRequest('without PKCE, this client must send a nonce');
        // Otherwise a user would consent to nothing, and the application would get `access_denied` (RFC 6749, section 3.3).
        if (ctx.oidc.requestParamOIDCScopes.size === 0)
          throw new errors.InvalidScope('no known scope was requested', scope ?? '');
      },
    },
    findAccount: accountFinder(service),
    loadExistingGrant: grantLoader(service, () => provider as Provider),
    // Tokens are valid with their grant, which the adapter finds only while its session lasts.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    renderError: showError,
    discovery: {
      end_session_endpoint: `${service.config.PUBLIC_URL}/oidc/end-session`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      prompt_values_supported: ['none', 'login', 'select_account', 'create', 'consent'],
      ui_locales_supported: languages.map(({ code }) => code),
    },
  };
  provider = await withoutNotices(async () => new library.Provider(service.config.PUBLIC_URL, configuration));
  // Routes set these headers from our settings (`openid.routes.ts`).
  provider.proxy = true;
  compareHashedSecrets(library.Provider as never, provider, service);
  (provider.Client as unknown as { prototype: { includeSid(): boolean } }).prototype.includeSid = () => true;
  issueCodes(provider, service);
  issueSuccessors(provider, service);
  nameClaims(provider);
  provider.use(allowFormPost);
  provider.use(correctAnswers);
  provider.use((ctx, next) => introspectTokensOfApis(service, ctx as unknown as KoaContextWithOIDC, next));
  return answerWith(provider);
}

/** The library prints notices about Node and its defaults, which operators cannot act on. */
async function withoutNotices<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  const others =
    (print: typeof warn): typeof warn =>
    (...words) =>
      String(words[0]).includes('oidc-provider ') ? undefined : print(...words);
  Object.assign(console, { warn: others(warn), info: others(info) });
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}

/** Gives a browser that continues a request several times at once the same code. */
function issueCodes(provider: Provider, { keyring }: ProviderDeps): void {
  const { prototype } = provider.AuthorizationCode as unknown as { prototype: { generateTokenId(): string } };
  const random = prototype.generateTokenId;
  prototype.generateTokenId = function () {
    const { ctx } = provider.constructor as unknown as { ctx: KoaContextWithOIDC | undefined };
    const request = ctx?.oidc.entities.Interaction?.jti;
    return request === undefined ? random.call(this) : codeOf(keyring.refreshTokens[0] as Buffer, request);
  };
}

/** Gives each code and refresh token a successor that repeated requests also get. */
function issueSuccessors(provider: Provider, { keyring }: ProviderDeps): void {
  interface RefreshToken {
    readonly grantId: string | undefined;
    generateTokenId(): string;
  }
  const { prototype } = provider.RefreshToken as unknown as { prototype: RefreshToken };
  const random = prototype.generateTokenId;
  prototype.generateTokenId = function () {
    const { ctx } = provider.constructor as unknown as { ctx: KoaContextWithOIDC | undefined };
    const { RotatedRefreshToken, AuthorizationCode, DeviceCode } = ctx?.oidc.entities ?? {};
    const parent = (RotatedRefreshToken ?? AuthorizationCode ?? DeviceCode)?.jti;
    const { grantId } = this;
    if (parent === undefined || grantId === undefined) return random.call(this);
    return successorsOf(keyring.refreshTokens, { parent, grantId })[0] as string;
  };
}

interface Library {
  readonly errors: typeof errors;
  readonly interactionPolicy: typeof interactionPolicy;
}

/** The prompts of the provider: each runs `nextStep`, which decides. */
function openPolicy(service: Pick<Service, 'store' | 'now'>, { errors, interactionPolicy }: Library) {
  const { Prompt, Check } = interactionPolicy;
  const check = (prompt: string, error: string) =>
    new Check(prompt, `${prompt} is required`, error, async (ctx: KoaContextWithOIDC) => {
      const step = await nextStep(service, ctx);
      if (step.prompt === 'unmet')
        throw new errors.CustomOIDCProviderError(
          'unmet_authentication_requirements',
          'the sign-in is not strong enough',
        );
      return step.prompt === prompt;
    });
  const prompts = [
    new Prompt({ name: 'login', requestable: true }, check('login', 'login_required')),
    new Prompt({ name: 'access', requestable: false }, check('access', 'access_denied')),
    // These must exist to be accepted. The page for signing in again is where users choose another account.
    new Prompt({ name: 'select_account', requestable: true }),
    new Prompt({ name: 'create', requestable: true }),
    new Prompt({ name: 'consent', requestable: true }, check('consent', 'consent_required')),
  ];
  // The library adds a check that only its own sign-in satisfies; `nextStep` judges requested prompts.
  for (const { name, checks } of prompts) checks.remove(`${name}_prompt`);
  return prompts;
}

interface WantedResource {
  readonly ctx: KoaContextWithOIDC;
  readonly resource: string;
  readonly errors: typeof errors;
}

/** An API that an access token is for. Never our own: its tokens begin sessions' requests. */
async function resourceServer(service: Pick<Service, 'config'>, { ctx, resource, errors }: WantedResource) {
  const client = clientOfRequest(ctx);
  const isOurs = URL.parse(resource)?.origin === service.config.PUBLIC_URL;
  const own = client && scopesOfResources(client).get(resource);
  if (isOurs || !own) throw new errors.InvalidTarget();
  refuseUnknownScopes({ ctx, errors });
  return {
    audience: resource,
    scope: [...allScopes, ...own].join(' '),
    accessTokenFormat: 'jwt' as const,
    accessTokenTTL: lifetimes.AccessToken,
    jwt: { sign: { alg: 'ES256' as const } },
  };
}

/** A standard scope for which we have no data, and which clients request with the others. */
const ignoredScopes: readonly string[] = ['address'];

/** Names the scopes that nothing here gives, which the library would leave out without a word. */
function refuseUnknownScopes({ ctx, errors }: Pick<WantedResource, 'ctx' | 'errors'>): void {
  const { params } = ctx.oidc;
  const client = clientOfRequest(ctx);
  if (!client) return;
  const scopes = splitScopes(String(params?.scope ?? ''));
  const own = scopesOfResources(client);
  const wanted = [params?.resource ?? []].flat().map(String);
  const known: readonly string[] = [...allScopes, ...ignoredScopes, ...wanted.flatMap((uri) => own.get(uri) ?? [])];
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown === undefined) return;
  const [uri] = [...own].find(([, ofApi]) => ofApi.includes(unknown)) ?? [];
  // One of a few texts, although anyone can invent scopes; the error names the scope itself.
  const why = uri === undefined ? 'requested scope is unknown' : `the scope ${unknown} needs the resource ${uri}`;
  throw new errors.InvalidScope(why, unknown);
}

/** Returns the provider for the keys in use; undefined, without loading the library, while there are no clients. */
export function currentProvider(service: Service): () => Promise<Answering | undefined> {
  let current: { readonly keys: string; readonly provider: Promise<Answering> } | undefined;
  return async () => {
    if (!current && !(await hasClients(service.store))) return undefined;
    await service.keyring.ensureIdTokenKey();
    const { accessTokens, idTokens } = service.keyring;
    const names = [...accessTokens, ...idTokens].map(({ kid }) => kid).join(' ');
    if (current?.keys !== names) {
      const keys = [...accessTokens.map(jwkOf('ES256')), ...idTokens.map(jwkOf('RS256'))];
      current = { keys: names, provider: openProvider(service, keys) };
      current.provider.catch(() => {
        current = undefined;
      });
    }
    return current.provider;
  };
}

const jwkOf =
  (alg: 'ES256' | 'RS256') =>
  ({ kid, privateKey }: SigningKey): JWK =>
    ({ ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }) as JWK;
