import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { clientSecretHash } from '../../security/macs.ts';
import { addClientSecret } from '../../store/applications/clients.ts';
import {
  addApplication,
  authorizationRequest,
  follow,
  locationOf,
  reach,
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
    const app = await addApplication(server, { claims, claims_in_id_token: inIdToken });
    const { browser, email } = await register(server);
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
    expect(all).toMatchObject({
      sub: id,
      uid: id,
      name,
      email,
      login: email,
      preferred_username: email,
      given_name: given,
      roles: [],
    });
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
      const query = new URLSearchParams({
        client_id: id,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid',
        ...parameters,
      });
      return locationOf(await follow(browser, server, `/oidc/auth?${query}`), server);
    };
    const callback = await ask(app, { nonce: 'n', state: 's' });
    const tokens = await openid.authorizationCodeGrant(app.config, callback, {
      expectedNonce: 'n',
      expectedState: 's',
    });
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
    const response = await reach(server)(`${server.config.PUBLIC_URL}/oidc/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${app.id}:${sent}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    expect(response.status).toBe(200);
  });

  test('learns the languages of our pages from a document that it may cache', async () => {
    const response = await server.client().get('/.well-known/openid-configuration');
    expect(response.body.ui_locales_supported).toContain('de');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  });

  test.each([
    ['client credentials', '/oidc/token', 'grant_type=client_credentials'],
    ['the device flow', '/oidc/device', 'scope=openid'],
  ])('is told that it may not use %s', async (_what, path, body) => {
    const app = await addApplication(server);
    const response = await reach(server)(`${server.config.PUBLIC_URL}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${app.id}:${app.secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body,
    });
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      400,
      'unauthorized_client',
    ]);
  });

  test('gets a response by form whose page has no English', async () => {
    const app = await addApplication(server);
    const { browser } = await register(server);
    const { url } = await authorizationRequest(app, { response_mode: 'form_post' });
    const { body: text } = await follow(browser, server, url);
    expect(text).toContain('<title>app.example</title>');
    expect(text).not.toMatch(/Submitting|JavaScript or|Continue/);
  });
});
