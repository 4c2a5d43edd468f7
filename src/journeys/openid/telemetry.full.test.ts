import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openClient } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { outages } from '../../testing/databases/outages.ts';
import { freePort } from '../../testing/free-port.ts';
import { startProcess } from '../../testing/process.ts';

const client = {
  client_id: 'wiki',
  client_name: 'Wiki',
  client_secrets: [randomUUID() + randomUUID()],
  redirect_uris: ['https://wiki.example/signed-in', 'https://wiki.example/.vestibule/callback'],
  first_party: true,
  device: true,
  service: true,
};
const secret = client.client_secrets[0] ?? '';
const wrongSecret = 'not the secret of the wiki';
const asBasic = (text: string) => ({ authorization: `Basic ${Buffer.from(`wiki:${text}`).toString('base64')}` });
const challenge = 'code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256';
const begin = `/oidc/auth?client_id=wiki&response_type=code&scope=openid&${challenge}&redirect_uri=`;
const html = { accept: 'text/html' };

interface Case {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly route?: string;
  readonly headers?: Record<string, string>;
  readonly fields?: Record<string, string>;
  /** The status, and what the line says. */
  readonly is: readonly [status: number, code?: string, detail?: string];
}

/** Each route of the provider and of the guard, refused as far as it can be. */
const cases: readonly Case[] = [
  {
    path: `${begin}https://evil.example/%3Ftoken=hidden`,
    route: '/oidc/auth',
    headers: html,
    is: [
      303,
      'invalid_redirect_uri',
      "redirect_uri did not match any of the client's registered redirect_uris; redirect_uri: https://evil.example/",
    ],
  },
  {
    path: '/oidc/auth/unknown',
    route: '/oidc/auth/:uid([\\w-]+)',
    headers: html,
    is: [303, 'invalid_request', 'authorization request has expired'],
  },
  ...['token', 'introspection', 'revocation', 'device'].map(
    (name): Case => ({
      method: 'POST',
      path: `/oidc/${name}`,
      headers: asBasic(wrongSecret),
      fields: { grant_type: 'client_credentials', token: 'hidden', scope: 'openid' },
      is: [401, 'invalid_client', 'client authentication failed: invalid secret provided'],
    }),
  ),
  {
    method: 'POST',
    path: '/oidc/token',
    headers: asBasic(secret),
    fields: { grant_type: 'refresh_token', refresh_token: 'hidden' },
    is: [400, 'invalid_grant', 'grant request is invalid: refresh token not found'],
  },
  {
    method: 'POST',
    path: '/oidc/token',
    headers: asBasic(secret),
    fields: { grant_type: 'client_credentials' },
    is: [200],
  },
  ...(['GET', 'POST'] as const).map(
    (method): Case => ({
      method,
      path: '/oidc/me',
      headers: { authorization: 'Bearer hidden' },
      is: [401, 'invalid_token', 'invalid token provided: access token not found'],
    }),
  ),
  {
    method: 'POST',
    path: '/oidc/par',
    headers: asBasic(secret),
    fields: { scope: 'openid' },
    is: [400, 'invalid_request', "missing required parameters 'response_type' and 'client_id'"],
  },
  {
    path: '/oidc/end-session?client_id=nobody',
    route: '/oidc/end-session',
    headers: html,
    is: [303, 'invalid_request', 'client_id is unknown'],
  },
  { path: '/forward-auth/wiki', route: '/forward-auth/:client', is: [401] },
];

describe.each(usualEngines)('the telemetry of the provider and of the guard, on %s,', (engine) => {
  test('has a line, a count and an explanation for each route, and each says 503 while the database hangs', async () => {
    const { database, begin: hang, end } = await outages[engine]();
    const file = join(database.dataDir, 'clients.json');
    writeFileSync(file, JSON.stringify([client]), { mode: 0o600 });
    const port = await freePort();
    const service = await startProcess(database, { CLIENTS_FILE: file, METRICS_PORT: String(port) });
    const ask = ({ method = 'GET', path, headers = {}, fields }: Case) =>
      fetch(service.url + path, {
        method,
        redirect: 'manual',
        headers,
        ...(fields && { body: new URLSearchParams(fields) }),
      });
    for (const one of cases) {
      const before = service.log().length;
      const { status, headers } = await ask(one);
      const [expected, code, detail] = one.is;
      expect([one.path, status]).toEqual([one.path, expected]);
      if (headers.get('location')?.includes('/connect/failed/'))
        expect(headers.get('location')).toMatch(/[?&]reference=[0-9A-F]{10}$/);
      const route = one.route ?? one.path;
      if (one.method === undefined && code === undefined) continue;
      await expect
        .poll(() =>
          service
            .log()
            .slice(before)
            .find((line) => line.route === route),
        )
        .toMatchObject({ status: expected, ...(code && { code, detail }) });
    }
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const {
      method = 'GET',
      path,
      route = path,
      is: [status, code],
    } of cases) {
      const label = route.replaceAll('\\', '\\\\');
      expect(metrics).toContain(`method="${method}",route="${label}",status="${status}"`);
      if (code) expect(metrics).toContain(`vestibule_refusals_total{route="${label}",code="${code}",reason=""}`);
    }
    expect(service.output()).not.toMatch(new RegExp(`hidden|${secret}|${wrongSecret}`));

    const browser = openClient(service.url);
    await browser.get('/auth/csrf');
    hang();
    // The guard remembers its decisions, and a browser without a cookie has nothing to continue.
    const reads = cases.filter(({ path }) => !/^\/(?:forward-auth|oidc\/auth\/)/.test(path));
    const during = await Promise.all(
      (engine === 'postgres' ? reads : reads.filter(({ is }) => is[0] === 200)).map(async (one) => {
        const { status, headers } = await ask(one);
        return [
          one.path,
          status,
          Number(headers.get('retry-after')) > 0,
          headers.get('content-type')?.split(';', 1)[0],
        ];
      }),
    );
    end();
    expect(during).toEqual(
      during.map(([path]) => [
        path,
        503,
        true,
        /^\/oidc\/(?:auth|end-session)/.test(String(path)) ? 'text/html' : 'application/problem+json',
      ]),
    );
  });
});
