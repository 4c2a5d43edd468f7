import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FloodRequest } from './attacker.ts';

const secret = 'a secret of an application, in drills';
const redirect = 'https://app.example/callback';
const verifier = 'a'.repeat(43);

/** The settings of a service with one application of each kind. */
export function applicationSettings(folder: string): { CLIENTS_FILE: string } {
  const clients = [
    { client_id: 'app', client_name: 'App', client_secrets: [secret], redirect_uris: [redirect] },
    { client_id: 'screen', client_name: 'Screen', public: true, device: true },
    {
      client_id: 'guarded',
      client_name: 'Guarded',
      public: true,
      first_party: true,
      redirect_uris: ['https://guarded.example/.vestibule/callback'],
    },
  ];
  const file = join(mkdtempSync(join(folder, 'clients-')), 'clients.json');
  writeFileSync(file, JSON.stringify(clients));
  return { CLIENTS_FILE: file };
}

const basic = { Authorization: `Basic ${Buffer.from(`app:${encodeURIComponent(secret)}`).toString('base64')}` };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString().replaceAll('%25n', '%n');
const request = {
  client_id: 'app',
  redirect_uri: redirect,
  response_type: 'code',
  scope: 'openid',
  code_challenge_method: 'S256',
  code_challenge: verifier,
  state: '%n',
};

/** Requests to the OpenID provider and the guard, with junk instead of proofs. */
export const applicationFloods = {
  'OpenID sign-ins that nobody completes': [{ method: 'GET', path: `/oidc/auth?${form(request)}` }],
  'OpenID sign-ins of unknown applications': [
    { method: 'GET', path: `/oidc/auth?${form({ ...request, client_id: 'unknown%n' })}` },
  ],
  'OpenID codes that nobody issued': [
    {
      method: 'POST',
      path: '/oidc/token',
      headers: basic,
      body: form({
        grant_type: 'authorization_code',
        code: 'nobody-issued-%n',
        redirect_uri: redirect,
        code_verifier: verifier,
      }),
    },
  ],
  'wrong secrets of an application': [
    {
      method: 'POST',
      path: '/oidc/token',
      headers: { Authorization: `Basic ${Buffer.from('app:wrong').toString('base64')}` },
      body: form({ grant_type: 'refresh_token', refresh_token: 'nobody-issued-%n' }),
    },
  ],
  'introspections of junk': [
    { method: 'POST', path: '/oidc/introspection', headers: basic, body: form({ token: 'nobody-issued-%n' }) },
  ],
  'device codes': [{ method: 'POST', path: '/oidc/device', body: form({ client_id: 'screen', scope: 'openid' }) }],
  'guard checks with forged cookies': [
    {
      method: 'GET',
      path: '/forward-auth/guarded',
      headers: { Cookie: `__Host-vestibule_session=v1.%n.${'A'.repeat(43)}.${'A'.repeat(43)}` },
    },
  ],
  'guard checks without a cookie': [
    { method: 'GET', path: '/forward-auth/guarded?redirect=302', headers: { Accept: 'text/html' } },
  ],
} satisfies Record<string, readonly FloodRequest[]>;
