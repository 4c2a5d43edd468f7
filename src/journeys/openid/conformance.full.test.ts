import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import {
  addAppAndPerson,
  authorizationRequest,
  follow,
  locationOf,
  signInTo,
} from '../../testing/applications/application.ts';
import type { TestResponse } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

// Modules of the OpenID Foundation's plans that no other test covers, by name (docs/openid.md).
describe.each(usualEngines)('the provider, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  /** A signed-in browser, its application, and the response to a request of it, as `openid-client` receives it. */
  async function ask(parameters: Readonly<Record<string, string>>) {
    const { app, browser } = await addAppAndPerson(server);
    const request = await authorizationRequest(app, parameters);
    for (const [name, value] of Object.entries(parameters)) if (value === '') request.url.searchParams.delete(name);
    const response = await follow(browser, server, request.url);
    return { server, app, browser, request, callback: receivedBy(response, locationOf(response, server)) };
  }

  describe.each(['query', 'form_post'])('with response_mode=%s,', (response_mode) => {
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
      const { app, browser, request, callback } = await ask({ response_mode, ...parameters });
      const tokens = await openid.authorizationCodeGrant(app.config, callback, {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        ...(parameters.nonce !== '' && { expectedNonce: request.nonce }),
        idTokenExpected: true,
      });
      expect(tokens.claims()?.sub).toBe((await browser.get('/account')).body.id);
    });

    test('passes oidcc-response-type-missing', async () => {
      const { callback } = await ask({ response_mode, response_type: '' });
      const parameters = callback instanceof URL ? callback.searchParams : await callback.formData();
      expect(parameters.get('error')).toBe('invalid_request');
    });
  });

  test('passes oidcc-id-token-hint', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const { id_token: hint = '' } = await signInTo(server, { app, browser });
    const parameters = { id_token_hint: hint, prompt: 'none' };
    const again = await signInTo(server, { app, browser, parameters });
    expect(again.claims()?.sub).toBe((await browser.get('/account')).body.id);
  });

  test('passes oidcc-userinfo-get, -post-header and -post-body, and oidcc-scope-phone', async () => {
    const { app, browser } = await addAppAndPerson(server);
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
    const { app, browser } = await addAppAndPerson(server);
    const tokens = await signInTo(server, { app, browser });
    const refreshed = await openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '');
    const [before, after] = [tokens.claims(), refreshed.claims()];
    expect([after?.sub, after?.auth_time, after?.sid]).toEqual([before?.sub, before?.auth_time, before?.sid]);
  });
});

/** The response as it reaches the application: in the address, or in the form that a browser sends there. */
function receivedBy({ body }: TestResponse, location: URL): URL | Request {
  const [, action] = /<form method="post" action="([^"]+)"/.exec(String(body)) ?? [];
  if (action === undefined) return location;
  const fields = [...String(body).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const form = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]));
  return new Request(action, { method: 'POST', body: form });
}

test('docs/openid.md lists each module once, with an existing test or a reason', () => {
  const plans: Record<string, string[]> = {};
  const rows = readFileSync(join('docs', 'openid.md'), 'utf8').matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm);
  for (const [, plan = '', modules = '', proof = ''] of rows) {
    const names = modules.match(/`oidcc-[\w-]+`/g) ?? [];
    if (names.length === 0) continue;
    plans[plan] = [...(plans[plan] ?? []), ...names];
    const tests = proof.match(/[\w.-]+\.test\.ts/g) ?? [];
    if (tests.length === 0) expect(proof).toMatch(/^none: ./);
    for (const name of tests)
      expect(globSync(`src/journeys/openid/**/${name}`), `${modules} in ${name}`).toHaveLength(1);
  }
  const counts = Object.entries(plans).map(([plan, names]) => [plan, names.length, new Set(names).size]);
  expect(counts).toEqual([
    ['Basic', 37, 37],
    ['Config', 1, 1],
    ['RP-initiated logout', 11, 11],
    ['Back-channel logout', 2, 2],
  ]);
});

const bye = 'https://app.example/bye';

/** `hint` is replaced with the ID token. */
type Parameters = Readonly<Record<string, string>>;

// Modules of the OpenID Foundation's plan for RP-initiated logout, by name (docs/openid.md).
describe.each(usualEngines)('the provider, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  /** A browser that is signed in to an application, and its request to sign out. */
  async function signedIn() {
    const { app, browser } = await addAppAndPerson(server, { post_logout_redirect_uris: [bye] });
    const { id_token: hint = '' } = await signInTo(server, { app, browser });
    const endSession = async (parameters: Parameters) => {
      const { id_token_hint: hinted, ...others } = parameters;
      const query = new URLSearchParams({ ...others, ...(hinted && { id_token_hint: hint }) });
      return locationOf(await browser.get(`/oidc/end-session?${query}`), server);
    };
    const isSignedIn = async () => (await browser.get('/account')).status === 200;
    return { browser, endSession, isSignedIn };
  }

  test.each<[module: string, Parameters, target: string]>([
    ['oidcc-rp-initiated-logout-no-state', { id_token_hint: 'hint', post_logout_redirect_uri: bye }, bye],
    [
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
      { id_token_hint: 'hint', state: 'x' },
      'https://door.example/sign-out/?done=1',
    ],
  ])('passes %s: the person is signed out', async (_module, parameters, target) => {
    const { endSession, isSignedIn } = await signedIn();
    expect((await endSession(parameters)).href).toBe(target);
    expect(await isSignedIn()).toBe(false);
  });

  test.each<[module: string, Parameters]>([
    ['oidcc-rp-initiated-logout-no-params', {}],
    ['oidcc-rp-initiated-logout-only-state', { state: 'x' }],
  ])('passes %s: our page asks, and leads nowhere else', async (_module, parameters) => {
    const { browser, endSession, isSignedIn } = await signedIn();
    const page = await endSession(parameters);
    expect([page.pathname, page.search]).toEqual(['/sign-out/', '']);
    expect(await isSignedIn()).toBe(true);
    expect((await browser.post('/connect/sign-out', {})).body).toEqual({ to: null });
    expect(await isSignedIn()).toBe(false);
  });

  test('passes oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', async () => {
    const { endSession, isSignedIn } = await signedIn();
    const parameters = { id_token_hint: 'hint', post_logout_redirect_uri: `${bye}?foo=bar`, state: 'x' };
    expect((await endSession(parameters)).href).toBe('https://door.example/sign-out/');
    expect(await isSignedIn()).toBe(true);
  });
});
