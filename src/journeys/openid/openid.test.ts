import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../security/macs.ts';
import { addToGroup } from '../../store/applications/account-groups.ts';
import {
  addAppAndPerson,
  addTestClient,
  basic,
  follow,
  locationOf,
  openRequest,
  post,
  redeem,
  redirectUri,
  signInTo,
} from '../../testing/applications/application.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('an application, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('gets the signed-in user’s identity without showing a page', async () => {
    const { id, app, email, browser } = await addAppAndPerson(server);
    const { request, target: callback } = await openRequest(server, { app, browser });
    expect(callback.href).toContain(redirectUri);
    expect(callback.searchParams.get('iss')).toBe(server.config.PUBLIC_URL);
    const tokens = await redeem(app, request, callback);
    expect(tokens.claims()).toMatchObject({ sub: id, acr: 'aal1', amr: ['pwd'], sid: expect.any(String) });
    expect(tokens.claims()).not.toHaveProperty('email');
    const person = await openid.fetchUserInfo(app.config, tokens.access_token, id);
    expect(person).toEqual({ sub: id, name: 'Anna Berg', locale: 'en', email, email_verified: false });
    // The browser has no cookie of the library.
    expect([...browser.cookies.keys()].filter((name) => name.startsWith('openid_session'))).toEqual([]);
  });

  test('gets RS256 and all claims in the ID token, if its operator says so', async () => {
    const { app, email, browser } = await addAppAndPerson(server, {
      id_token_signed_response_alg: 'RS256',
      claims_in_id_token: true,
    });
    const tokens = await signInTo(server, { app, browser });
    expect(decodeProtectedHeader(tokens.id_token ?? '')).toMatchObject({ alg: 'RS256' });
    expect(tokens.claims()).toMatchObject({ email, name: 'Anna Berg' });
    // Apps in browsers read the keys from their own origin.
    const { headers } = await server.client().get('/.well-known/jwks.json');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  // The requests of Grafana's generic OAuth (golang.org/x/oauth2), with the settings of docs/integrate.md.
  test('gets roles, fresh tokens and a sign-out with the requests of Grafana', async () => {
    const home = 'https://grafana.example.com/login';
    const redirect_uri = `${home}/generic_oauth`;
    const { entry, secret } = await addTestClient(server, {
      redirect_uris: [redirect_uri],
      post_logout_redirect_uris: [home],
      claims_in_id_token: true,
    });
    const { id, email, browser } = await register(server);
    await addToGroup(server.store, { accountId: id, group: 'admins', at: server.now() });
    const code_verifier = randomBytes(96).toString('base64url');
    const asked = new URLSearchParams({
      client_id: entry.client_id,
      code_challenge: sha256(code_verifier),
      code_challenge_method: 'S256',
      redirect_uri,
      response_type: 'code',
      scope: 'openid profile email groups',
      state: `${randomBytes(32).toString('base64url')}=`,
    });
    const callback = locationOf(await follow(browser, server, `/oidc/auth?${asked}`), server);
    expect(callback.searchParams.get('state')).toBe(asked.get('state'));
    const authorization = basic({ id: entry.client_id, secret });
    const request = async (parameters: Record<string, string>) =>
      (await post(server, '/oidc/token', parameters, authorization)).body;
    const code = callback.searchParams.get('code') ?? '';
    const tokens = await request({ code, code_verifier, grant_type: 'authorization_code', redirect_uri });
    // Without groups in the ID token, its expression for roles makes everyone a viewer.
    expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ sub: id, email, name: 'Anna Berg', groups: ['admins'] });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const person = await (await fetch(`${server.url}/oidc/me`, { headers })).json();
    expect(person).toMatchObject({ sub: id, email, groups: ['admins'] });
    const renew = (refresh_token = '') => request({ grant_type: 'refresh_token', refresh_token });
    const renewed = await renew(tokens.refresh_token);
    expect(renewed).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) });
    const leaving = {
      client_id: entry.client_id,
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: home,
    };
    const left = await browser.get(`/oidc/end-session?${new URLSearchParams(leaving)}`);
    expect(locationOf(left, server).href).toBe(home);
    expect(await renew(renewed.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  });
});
