import { join } from 'node:path';
import { freePort } from '../src/testing/free-port.ts';
import type { Conversation } from './load.ts';
import type { OpenIdProvider } from './open-id.ts';
import { openIdClient } from './open-id.ts';
import { type Server, startServer } from './process.ts';

export interface OidcProvider extends Server {
  /** Each client continues with the token that it received last. */
  readonly refreshes: () => Conversation;
  readonly provider: OpenIdProvider;
}

/** Starts oidc-provider, which keeps everything in memory, with the given number of sessions. */
export async function openOidcProvider(sessions: number): Promise<OidcProvider> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    url,
    module: join(import.meta.dirname, 'peers', 'oidc-provider.mjs'),
    env: {
      PORT: String(port),
      SESSIONS: String(sessions),
      CLIENT: JSON.stringify(openIdClient),
      NODE_ENV: 'production',
    },
    probe: '/.well-known/openid-configuration',
  });
  const tokens = (await (await fetch(`${url}/tokens`)).json()) as string[];
  const ids = (await (await fetch(`${url}/sessions`)).json()) as string[];
  const provider: OpenIdProvider = {
    url,
    paths: { authorization: '/auth', token: '/token', userinfo: '/me' },
    browsers: ids.map((id) => ({ cookie: `_session=${id}` })),
  };
  return { ...server, refreshes: refreshesOf(tokens), provider };
}

function refreshesOf(tokens: readonly string[]): () => Conversation {
  let at = 0;
  return () => {
    let token = tokens[at % tokens.length] ?? '';
    at += 1;
    return {
      next: () => ({
        method: 'POST',
        path: '/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams({ grant_type: 'refresh_token', client_id: 'bench', refresh_token: token })),
      }),
      heard(_, body) {
        token = (JSON.parse(body) as { refresh_token: string }).refresh_token;
      },
    };
  };
}
