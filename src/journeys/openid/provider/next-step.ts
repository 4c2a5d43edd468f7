import type { KoaContextWithOIDC } from 'oidc-provider';
import { isLanguageCode, pathIn } from '../../../contract/languages.ts';
import { includesResources, scopesForResources, splitScopes } from '../../../contract/openid-scopes.ts';
import { returnParameter } from '../../../contract/pages.ts';
import type { Service } from '../../../server/service.ts';
import { admitsGroups, groupsOf } from '../../../store/applications/account-groups.ts';
import { type Client, findConnection, scopesOfResources } from '../../../store/applications/clients.ts';
import { browserRequestOf, clientOfRequest } from './client-authentication.ts';

/** The step that a user must take before an application gets its code, and why. */
type Step =
  | { readonly prompt: 'login'; readonly reason: 'no_session' | 'other_account' | 'not_recent' | 'weak' }
  | { readonly prompt: 'access'; readonly reason: 'no_group' }
  | { readonly prompt: 'consent'; readonly reason: 'asked' | 'native' | 'scopes' }
  /** Even a new sign-in was not strong enough. */
  | { readonly prompt: 'unmet' }
  | { readonly prompt: undefined; readonly client: Client };

/** The parameters that our pages add to a request when they send the browser back to it. */
export interface StepResult {
  /** Seconds since the epoch: when the request first led to our pages. A later sign-in is recent. */
  readonly begun?: number;
  /** The id of the account that agreed on our page. */
  readonly agreed?: string;
  /** How often our page has sent the browser back, so that it never goes in a circle. */
  readonly turns?: number;
}

const steps = new WeakMap<KoaContextWithOIDC, Promise<Step>>();

/** Decides once per request. */
export function nextStep(service: Pick<Service, 'store' | 'now'>, ctx: KoaContextWithOIDC): Promise<Step> {
  const known = steps.get(ctx) ?? decide(service, ctx);
  steps.set(ctx, known);
  return known;
}

async function decide(service: Pick<Service, 'store' | 'now'>, ctx: KoaContextWithOIDC): Promise<Step> {
  const { oidc } = ctx;
  const accountId = oidc.session?.accountId;
  if (accountId === undefined || !oidc.account) return { prompt: 'login', reason: 'no_session' };
  const hinted = oidc.entities.IdTokenHint?.payload.sub;
  if (hinted !== undefined && hinted !== accountId) return { prompt: 'login', reason: 'other_account' };
  const signIn = judgeSignIn(ctx, service.now());
  if (signIn) return signIn;
  const client = clientOfRequest(ctx);
  if (!client) return { prompt: 'login', reason: 'no_session' };
  if (!(await mayEnter(service, client, accountId))) return { prompt: 'access', reason: 'no_group' };
  const consent = await missingConsent(service, ctx, { client, accountId });
  return consent ? { prompt: 'consent', reason: consent } : { prompt: undefined, client };
}

const resultOf = ({ oidc }: KoaContextWithOIDC): StepResult => (oidc.result ?? {}) as StepResult;

/** Enforces `prompt=login` and `select_account`, `max_age` and `acr_values` (OpenID Connect Core 1.0, section 3.1.2.1). */
function judgeSignIn(ctx: KoaContextWithOIDC, now: number): Step | undefined {
  const { prompts, params, session } = ctx.oidc;
  const { begun } = resultOf(ctx);
  const authTime = session?.authTime() ?? 0;
  if (begun !== undefined && authTime >= begun) {
    return isStrongEnough(params?.acr_values, session?.acr) ? undefined : { prompt: 'unmet' };
  }
  const maxAge = params?.max_age === undefined ? Number.POSITIVE_INFINITY : Number(params.max_age);
  const isAsked = prompts.has('login') || prompts.has('select_account');
  if (isAsked || now / 1000 - authTime > maxAge) return { prompt: 'login', reason: 'not_recent' };
  return isStrongEnough(params?.acr_values, session?.acr) ? undefined : { prompt: 'login', reason: 'weak' };
}

const levels = ['aal1', 'aal2'];

/** A stronger sign-in satisfies a request for a weaker one. Unknown values have no effect. */
function isStrongEnough(wanted: unknown, acr: string | undefined): boolean {
  const known = String(wanted ?? '')
    .split(' ')
    .map((value) => levels.indexOf(value))
    .filter((level) => level !== -1);
  return known.length === 0 || Math.min(...known) <= levels.indexOf(acr ?? '');
}

/** Whether an account has one of the groups that a client admits. */
export async function mayEnter(
  { store }: Pick<Service, 'store'>,
  client: Pick<Client, 'groups'>,
  accountId: string,
): Promise<boolean> {
  return client.groups.length === 0 || admitsGroups(client, await groupsOf(store, accountId));
}

async function missingConsent(
  { store }: Pick<Service, 'store'>,
  ctx: KoaContextWithOIDC,
  { client, accountId }: { client: Client; accountId: string },
): Promise<'asked' | 'native' | 'scopes' | undefined> {
  const { oidc } = ctx;
  const isGiven = resultOf(ctx).agreed === accountId;
  if (oidc.prompts.has('consent') && !isGiven) return 'asked';
  // Another app on the device can claim the same scheme or port (RFC 8252, section 8.6).
  if (oidc.client?.applicationType === 'native' && !isGiven) return 'native';
  if (client.isFirstParty) return undefined;
  const connection = await findConnection(store, { accountId, clientId: client.id });
  const allowed = splitScopes(connection?.scopes ?? '');
  const isAllowed =
    [...oidc.requestParamOIDCScopes].every((scope) => allowed.includes(scope)) &&
    includesResources(connection?.resources ?? '{}', requestedResources(ctx, client));
  return isAllowed ? undefined : 'scopes';
}

/** The APIs that a request is for, with the requested scopes of each. */
export const requestedResources = ({ oidc }: KoaContextWithOIDC, client: Client): Readonly<Record<string, string>> =>
  scopesForResources([...oidc.requestParamScopes], {
    resources: Object.keys(oidc.resourceServers ?? {}),
    own: scopesOfResources(client),
  });

/**
 * Our page for a request, in the language that the application asks for (`ui_locales`) if we have it. `prompt=create` leads
 * new users to registration first (Initiating User Registration via OpenID Connect 1.0); signed-in ones have an account.
 */
export function interactionUrl(ctx: KoaContextWithOIDC, { uid }: { readonly uid: string }): string {
  const language = languageFor(ctx);
  const place = `${pathIn(language, '/connect/')}?request=${uid}`;
  if (!ctx.oidc.prompts.has('create') || ctx.oidc.session?.accountId !== undefined) return place;
  return `${pathIn(language, '/register/')}?${new URLSearchParams({ [returnParameter]: place })}`;
}

function languageFor(ctx: KoaContextWithOIDC) {
  const wanted = String(ctx.oidc.params?.ui_locales ?? ctx.query?.ui_locales ?? '')
    .split(' ')
    .map((tag) => tag.toLowerCase().split(/[-_]/, 1)[0]);
  return wanted.find(isLanguageCode) ?? browserRequestOf(ctx.req).language;
}

/** Protocol errors that must not be sent to the application appear on our page; programs get JSON. */
export function showError(ctx: KoaContextWithOIDC, out: { readonly error: string }): void {
  if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') {
    ctx.body = out;
    return;
  }
  ctx.status = 303;
  const query = new URLSearchParams({ error: out.error, reference: browserRequestOf(ctx.req).reference });
  ctx.redirect(`${pathIn(languageFor(ctx), '/connect/failed/')}?${query}`);
}

/**
 * `response_mode=form_post` leads to the application's origin, which `form-action` must allow. The library's page is in
 * English; ours names the application's host, which needs no translation.
 */
export async function allowFormPost(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const { params } = ctx.oidc ?? {};
  if (params?.response_mode !== 'form_post' || !ctx.type.includes('html')) return;
  const target = URL.parse(String(params.redirect_uri));
  const policy = ctx.response.get('content-security-policy');
  if (!target) return;
  const name = target.host === '' ? target.protocol : target.host;
  ctx.body = String(ctx.body)
    .replace(/<title>[^<]*/, `<title>${name}`)
    .replace(/(<noscript>)[\s\S]*?(<button[^>]*>)[^<]*/, `$1$2→ ${name}`);
  if (policy === '') return;
  const source = target.origin === 'null' ? target.protocol : target.origin;
  ctx.set('content-security-policy', policy.replace("form-action 'self'", `form-action 'self' ${source}`));
}

/** Answers that the library gives less exactly than the standards (RFC 6749, section 5.2). */
export async function correctAnswers(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const out = ctx.body as { error?: string; error_description?: string } | undefined;
  if (out?.error === 'invalid_request' && / is not allowed for this client$/.test(out.error_description ?? ''))
    ctx.body = { ...out, error: 'unauthorized_client' };
  // The same for everyone, and seldom different.
  if (ctx.oidc?.route === 'discovery' && ctx.status === 200) ctx.set('cache-control', 'public, max-age=300');
}
