import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import {
  addApplication,
  authorizationRequest,
  follow,
  locationOf,
  signInTo,
} from '../../testing/applications/application.ts';
import { engines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

// Modules of the OpenID Foundation's plans that no other test covers, by name (docs/openid.md).
describe.each(engines)('the provider, on %s,', (engine) => {
  const opened = openTestServer(engine);

  test.each<[module: string, parameters: Record<string, string>]>([
    ['oidcc-ensure-request-without-nonce-succeeds-for-code-flow', { nonce: '' }],
    ['oidcc-scope-address', { scope: 'openid address' }],
    ['oidcc-scope-all', { scope: 'openid profile email address phone' }],
    ['oidcc-ensure-other-scope-order-succeeds', { scope: 'email openid' }],
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-prompt-none-logged-in', { prompt: 'none' }],
    ['oidcc-max-age-10000', { max_age: '10000' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'someone@example.com' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
  ])('passes %s', async (_module, parameters) => {
    const server = await opened;
    const app = await addApplication(server);
    const { browser } = await register(server);
    const { url } = await authorizationRequest(app, parameters);
    for (const [name, value] of Object.entries(parameters)) if (value === '') url.searchParams.delete(name);
    const callback = locationOf(await follow(browser, server, url), server);
    expect([callback.searchParams.get('error'), callback.searchParams.has('code')]).toEqual([null, true]);
  });

  test('passes oidcc-response-type-missing', async () => {
    const server = await opened;
    const { browser } = await register(server);
    const { url } = await authorizationRequest(await addApplication(server));
    url.searchParams.delete('response_type');
    const callback = locationOf(await follow(browser, server, url), server);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
  });

  test('passes oidcc-userinfo-get, -post-header and -post-body, and oidcc-scope-phone', async () => {
    const server = await opened;
    const app = await addApplication(server);
    const { browser } = await register(server);
    const { access_token } = await signInTo(server, { app, browser, parameters: { scope: 'openid phone' } });
    const expected = { phone_number: '+4915123456789', phone_number_verified: false };
    const authorization = `Bearer ${access_token}`;
    expect((await server.client().get('/oidc/me', { authorization })).body).toMatchObject(expected);
    expect((await server.client().send('POST', '/oidc/me', { headers: { authorization } })).body).toMatchObject(
      expected,
    );
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const inBody = await server
      .client()
      .send('POST', '/oidc/me', { body: `access_token=${access_token}`, headers: form });
    expect(inBody.body).toMatchObject(expected);
  });

  test('passes oidcc-refresh-token', async () => {
    const server = await opened;
    const app = await addApplication(server);
    const { browser } = await register(server);
    const tokens = await signInTo(server, { app, browser });
    const refreshed = await openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '');
    const [before, after] = [tokens.claims(), refreshed.claims()];
    expect([after?.sub, after?.auth_time, after?.sid]).toEqual([before?.sub, before?.auth_time, before?.sid]);
  });
});
