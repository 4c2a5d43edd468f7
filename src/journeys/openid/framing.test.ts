import { describe, expect, test } from 'vitest';
import {
  type Application,
  addApplication,
  authorizationRequest,
  reach,
} from '../../testing/applications/application.ts';
import { openRequest } from '../../testing/applications/page.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { addGuardedClient } from '../../testing/guarded-app.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('a page of another site, on %s,', (engine) => {
  const opened = openTestServer(engine);
  const asked = opened.then(async (server) => {
    const app = await addApplication(server, { first_party: false });
    await addGuardedClient(server, { id: 'wiki', origins: ['https://wiki.example'], groups: ['staff'] });
    return { server, app, ...(await register(server)) };
  });

  const pathOf = async (app: Application, parameters: Record<string, string> = {}) => {
    const { url } = await authorizationRequest(app, parameters);
    return url.pathname + url.search;
  };

  const pages: [string, (given: Awaited<typeof asked>) => string | Promise<string>][] = [
    ['sign-in', () => '/'],
    ['registration', () => '/register/'],
    ['recovery', () => '/recovery/'],
    ['new password', () => '/reset-password/'],
    ['second step', () => '/second-step/'],
    [
      'consent',
      async ({ server, app, browser }) => `/connect/?request=${(await openRequest(server, { app, browser })).id}`,
    ],
    ['error', () => '/de/connect/failed/?error=invalid_request'],
    ['device code', () => '/device/?user_code=WDJB-MJHT'],
    ['sign-out', () => '/sign-out/'],
    ['missing access', () => '/no-access/?client=wiki'],
    ['connected applications', () => '/account/privacy/'],
    ['authorization request', ({ app }) => pathOf(app)],
    ['authorization request of a signed-out browser', ({ app }) => pathOf(app, { prompt: 'login' })],
    ['refused authorization request', ({ app }) => pathOf(app, { redirect_uri: 'https://evil.example/' })],
    ['response in a form', ({ app }) => pathOf(app, { response_mode: 'form_post', prompt: 'none' })],
    ['continuation', () => '/oidc/auth/unknown'],
    ['end of the session', () => '/oidc/end-session'],
    ['user information', () => '/oidc/me'],
    ['configuration', () => '/.well-known/openid-configuration'],
    ['unknown address', () => '/oidc/unknown'],
    ['guard', () => '/forward-auth/wiki/sign-in?state=x'],
  ];

  test.each(pages)('cannot show our page in a frame: %s', async (_name, path) => {
    const given = await asked;
    const { status, headers } = await given.browser.get(await path(given), { accept: 'text/html' });
    expect(status).toBeLessThan(500);
    expect([headers.get('x-frame-options'), headers.get('content-security-policy')]).toEqual([
      'DENY',
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
  });

  test.each([
    ['an invalid form', 'application/x-www-form-urlencoded', '%%%=\u0000'],
    ['JSON', 'application/json', '{}'],
    ['a megabyte', 'application/x-www-form-urlencoded', `a=${'a'.repeat(1e6)}`],
  ])('cannot frame the refusal of a token request with %s', async (_name, type, body) => {
    const { server } = await asked;
    for (const path of ['token', 'par', 'device', 'introspection', 'revocation']) {
      const response = await reach(server)(`${server.config.PUBLIC_URL}/oidc/${path}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      const { status, headers } = response;
      await response.body?.cancel();
      expect([path, status < 500, headers.get('x-frame-options')]).toEqual([path, true, 'DENY']);
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
    }
  });
});
