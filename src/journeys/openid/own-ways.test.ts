import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { clientSecretHash } from '../../security/macs.ts';
import { addClientSecret } from '../../store/applications/clients.ts';
import {
  type Application,
  addAppAndPerson,
  addApplication,
  authorizationRequest,
  basic,
  follow,
  locationOf,
  openRequest,
  post,
  redirectUri,
  signInTo,
} from '../../testing/applications/application.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { proveAddress, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

// What some applications insist on.
describe.each(usualEngines)('an application with ways of its own, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  const claims = {
    login: 'email',
    preferred_username: 'preferred_username',
    given_name: 'given_name',
    uid: 'sub',
    roles: 'groups',
  };

  test.each([
    ['at the userinfo endpoint', false],
    ['in ID tokens', true],
  ])('gets claims under its names %s, each with the scope of its value', async (_where, inIdToken) => {
    const { app, browser, email } = await addAppAndPerson(server, { claims, claims_in_id_token: inIdToken });
    const { id, name } = (await browser.get('/account')).body;
    const claimsWith = async (scope: string) => {
      const tokens = await signInTo(server, { app, browser, parameters: { scope } });
      return inIdToken ? tokens.claims() : openid.fetchUserInfo(app.config, tokens.access_token, id);
    };
    const unproven = await claimsWith('openid profile email groups');
    expect(unproven).toMatchObject({ email, email_verified: false, preferred_username: id });
    expect(unproven).not.toHaveProperty('login');
    await proveAddress(server, { email, browser });
    const all = await claimsWith('openid profile email groups');
    const given = name.split(' ').slice(0, -1).join(' ') || name;
    const own = { login: email, preferred_username: email, given_name: given, roles: [] };
    expect(all).toMatchObject({ sub: id, uid: id, name, email, ...own });
    const few = await claimsWith('openid');
    expect(few).toMatchObject({ uid: id });
    for (const claim of ['login', 'preferred_username', 'given_name', 'roles', 'email'])
      expect(few).not.toHaveProperty(claim);
    const plain = await addApplication(server, { claims_in_id_token: inIdToken });
    const tokens = await signInTo(server, { app: plain, browser });
    const usual = inIdToken ? tokens.claims() : await openid.fetchUserInfo(plain.config, tokens.access_token, id);
    expect(usual).not.toHaveProperty('preferred_username');
  });

  test('signs in without PKCE, with a nonce, if its operator says so', async () => {
    const [app, strict] = [await addApplication(server, { without_pkce: true }), await addApplication(server)];
    const { browser } = await register(server);
    const ask = async ({ id }: { id: string }, parameters: Record<string, string>) => {
      const usual = { client_id: id, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' };
      const query = new URLSearchParams({ ...usual, ...parameters });
      return locationOf(await follow(browser, server, `/oidc/auth?${query}`), server);
    };
    const callback = await ask(app, { nonce: 'n', state: 's' });
    const expected = { expectedNonce: 'n', expectedState: 's' };
    const tokens = await openid.authorizationCodeGrant(app.config, callback, expected);
    expect(tokens.claims()?.nonce).toBe('n');
    expect((await ask(app, { state: 's' })).searchParams.get('error_description')).toBe(
      'without PKCE, this client must send a nonce',
    );
    expect((await ask(strict, { nonce: 'n' })).searchParams.get('error')).toBe('invalid_request');
    const { url } = await authorizationRequest(app);
    const protectedCode = locationOf(await follow(browser, server, url), server).searchParams.get('code') ?? '';
    const redeemed = await openid
      .genericGrantRequest(app.config, 'authorization_code', { code: protectedCode, redirect_uri: redirectUri })
      .catch(({ error }) => error);
    expect(redeemed).toBe('invalid_grant');
  });

  test.each(['raw', 'encoded'])('may send a secret with signs %s in its header', async (how) => {
    const app = await addApplication(server, { redirect_uris: [], service: true });
    const secret = `a+b/c=d:e"${'x'.repeat(32)}`;
    const hash = clientSecretHash(app.id, secret);
    await server.store.transaction().execute((trx) => addClientSecret(trx, { hash, client_id: app.id, created_at: 0 }));
    const sent = how === 'raw' ? secret : encodeURIComponent(secret);
    const headers = basic({ id: app.id, secret: sent });
    expect((await post(server, '/oidc/token', { grant_type: 'client_credentials' }, headers)).status).toBe(200);
  });

  test('learns the languages of our pages from a document that it may cache', async () => {
    const response = await server.client().get('/.well-known/openid-configuration');
    expect(response.body.ui_locales_supported).toContain('de');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  });

  test.each([
    ['client credentials', '/oidc/token', { grant_type: 'client_credentials' }],
    ['the device flow', '/oidc/device', { scope: 'openid' }],
  ])('is told that it may not use %s', async (_what, path, fields: Record<string, string>) => {
    const { status, body } = await post(server, path, fields, basic(await addApplication(server)));
    expect([status, body.error]).toEqual([400, 'unauthorized_client']);
  });

  test('gets a response by form whose page has no English', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const { url } = await authorizationRequest(app, { response_mode: 'form_post' });
    const { body: text } = await follow(browser, server, url);
    expect(text).toContain('<title>app.example</title>');
    expect(text).not.toMatch(/Submitting|JavaScript or|Continue/);
  });
});

describe.each(usualEngines)('an application that knows OAuth but not OpenID, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  /** The address of its request. */
  async function requestOf(app: Application, scope: string | undefined): Promise<URL> {
    const { url } = await authorizationRequest(app);
    url.searchParams.delete('nonce');
    if (scope === undefined) url.searchParams.delete('scope');
    else url.searchParams.set('scope', scope);
    return url;
  }

  test.each<[words: string, scope: string | undefined]>([
    ['no scope', undefined],
    ['an empty scope', ''],
    ['only spaces', ' '],
    ['an unknown scope', 'everything'],
    ['offline access alone, which needs a consent', 'offline_access'],
  ])('a request with %s is refused as invalid, and connects nothing', async (_words, scope) => {
    for (const first_party of [true, false]) {
      const { app, browser } = await addAppAndPerson(server, { first_party });
      const url = await requestOf(app, scope);
      // The error reaches the application before anyone signs in.
      for (const person of [browser, server.client()]) {
        const callback = locationOf(await follow(person, server, url), server);
        expect(callback.href).toContain(redirectUri);
        expect(callback.searchParams.get('error')).toBe('invalid_scope');
        expect(callback.searchParams.get('state')).toBe(url.searchParams.get('state'));
      }
      const pushed = await post(server, '/oidc/par', Object.fromEntries(url.searchParams), basic(app));
      expect(pushed.body).toMatchObject({ error: 'invalid_scope' });
      expect((await browser.get('/account/apps')).body).toEqual({ apps: [] });
      expect((await browser.get('/account/export')).body.connected_apps).toEqual([]);
    }
  });

  test('a device without a scope is refused as invalid', async () => {
    const app = await addApplication(server, { public: true, redirect_uris: [], device: true });
    for (const scope of [{}, { scope: '' }])
      await expect(openid.initiateDeviceAuthorization(app.config, scope)).rejects.toMatchObject({
        error: 'invalid_scope',
      });
  });

  test('a parameter without a value counts as absent', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const { target: callback } = await openRequest(server, {
      app,
      browser,
      parameters: { id_token_hint: '', max_age: '', acr_values: '', prompt: '' },
    });
    expect(callback.searchParams.get('code')).toEqual(expect.any(String));
    const empty = 'client_id=&id_token_hint=&post_logout_redirect_uri=&state=';
    const page = locationOf(await browser.get(`/oidc/end-session?${empty}`), server);
    expect([page.pathname, page.search]).toEqual(['/sign-out/', '']);
  });
});
