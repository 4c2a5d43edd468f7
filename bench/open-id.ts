import { createHash } from 'node:crypto';
import type { Conversation } from './measure.ts';

/** An OpenID Connect provider, and a confidential client of it. */
export interface OpenIdProvider {
  readonly url: string;
  readonly paths: { readonly authorization: string; readonly token: string; readonly userinfo: string };
  /** Headers of browsers that are signed in at the provider. */
  readonly browsers: readonly Readonly<Record<string, string>>[];
}

export const openIdClient = {
  id: 'web',
  secret: 'a-secret-of-the-bench-with-40-characters',
  redirectUri: 'https://client.example/signed-in',
} as const;

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');
const scope = 'openid profile';

/** What an application sends for each sign-in: the browser's request, its code, and the request for the claims. */
export const requestsOfCodeFlow = 3;

const authorization = `Basic ${Buffer.from(`${encodeURIComponent(openIdClient.id)}:${encodeURIComponent(openIdClient.secret)}`).toString('base64')}`;
const form = { 'content-type': 'application/x-www-form-urlencoded', authorization };

const bodyOf = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();

/** Each client signs its own signed-in user in to the application, again and again. */
export function codeFlows({ paths, browsers }: OpenIdProvider): () => Conversation {
  let at = 0;
  const query = bodyOf({
    client_id: openIdClient.id,
    redirect_uri: openIdClient.redirectUri,
    response_type: 'code',
    scope,
    state: 's'.repeat(22),
    nonce: 'n'.repeat(22),
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return () => {
    const headers = browsers[at % browsers.length] ?? {};
    at += 1;
    let code: string | undefined;
    let token: string | undefined;
    return {
      next() {
        if (token) return { method: 'GET', path: paths.userinfo, headers: { authorization: `Bearer ${token}` } };
        if (code) return { method: 'POST', path: paths.token, headers: form, body: bodyOf(codeGrant(code)) };
        return { method: 'GET', path: `${paths.authorization}?${query}`, headers };
      },
      heard(received, body) {
        if (token) {
          code = undefined;
          token = undefined;
        } else if (code) token = tokensIn(body).access_token;
        else code = codeIn(String(received.location ?? received.Location));
      },
    };
  };
}

/** Each client continues with the refresh token that it received last, which replaces the former one in the list. */
export function clientRefreshes({ paths }: OpenIdProvider, tokens: string[]): () => Conversation {
  let next = 0;
  return () => {
    const at = next % tokens.length;
    next += 1;
    return {
      next: () => ({
        method: 'POST',
        path: paths.token,
        headers: form,
        body: bodyOf({ grant_type: 'refresh_token', refresh_token: tokens[at] ?? '' }),
      }),
      heard(_, body) {
        tokens[at] = tokensIn(body).refresh_token;
      },
    };
  };
}

/** Signs each browser in to the application once, and returns the refresh tokens. */
export async function refreshTokensOf(provider: OpenIdProvider): Promise<string[]> {
  const tokens: string[] = [];
  const begin = codeFlows(provider);
  while (tokens.length < provider.browsers.length) {
    const flow = begin();
    for (let step = 1; step < requestsOfCodeFlow; step += 1) {
      const { path, ...request } = flow.next();
      const response = await fetch(provider.url + path, { ...request, redirect: 'manual' });
      const body = await response.text();
      flow.heard(Object.fromEntries(response.headers), body);
      if (step === requestsOfCodeFlow - 1) tokens.push(tokensIn(body).refresh_token);
    }
  }
  return tokens;
}

const codeGrant = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: openIdClient.redirectUri,
  code_verifier: verifier,
});

function codeIn(location: string): string {
  const code = URL.parse(location)?.searchParams.get('code');
  if (!code) throw new Error(`a sign-in led to ${location}`);
  return code;
}

function tokensIn(body: string): { access_token: string; refresh_token: string } {
  const tokens = JSON.parse(body);
  if (!tokens.access_token || !tokens.refresh_token) throw new Error(`no tokens: ${body}`);
  return tokens;
}
