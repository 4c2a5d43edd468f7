import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { addToGroup } from '../../store/applications/account-groups.ts';
import {
  addAppAndPerson,
  addApplication,
  authorizationRequest,
  continueAs,
  decideAs,
  locationOf,
  openRequest,
  reach,
  redeem,
  redirectUri,
  signInTo,
  stepOf,
} from '../../testing/applications/application.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { addGuardedClient } from '../../testing/guarded-app.ts';
import { kindsOf, password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('a person who opens an application, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('signs in on our page, in the language of the application, and returns', async () => {
    const { app, email } = await addAppAndPerson(server);
    const browser = server.client();
    const { request, target, id } = await openRequest(server, { app, browser, parameters: { ui_locales: 'fr-CA en' } });
    expect(target.pathname).toBe('/fr/connect/');
    expect((await browser.get(`/connect/requests/${id}`)).body).toEqual({ app: 'Grafana' });
    expect((await browser.get(`/connect/requests/${id}/step`)).status).toBe(401);
    await browser.post('/auth/login', { email, password });
    expect(await stepOf(browser, id)).toMatchObject({ step: 'continue', to: `/oidc/auth/${id}` });
    const tokens = await redeem(app, request, await continueAs(server, { browser, id }));
    expect(tokens.claims()?.sub).toBe((await browser.get('/account')).body.id);
    // The request is finished.
    expect((await browser.get(`/connect/requests/${id}`)).status).toBe(404);
  });

  test('asks for consent to a third party’s application once, and again when it requests more', async () => {
    const { app, browser } = await addAppAndPerson(server, { first_party: false });
    const first = await openRequest(server, { app, browser });
    expect(await stepOf(browser, first.id)).toEqual({
      step: 'consent',
      app: 'Grafana',
      site: 'app.example',
      scopes: ['openid', 'profile', 'email'],
      apis: [],
      to: `/oidc/auth/${first.id}`,
    });
    const refused = await decideAs(server, { browser, id: first.id, allow: false });
    expect(refused.searchParams.get('error')).toBe('access_denied');
    const second = await openRequest(server, { app, browser });
    await redeem(app, second.request, await decideAs(server, { browser, id: second.id, allow: true }));
    await signInTo(server, { app, browser });
    const more = await openRequest(server, { app, browser, parameters: { scope: 'openid phone' } });
    expect(await stepOf(browser, more.id)).toMatchObject({ step: 'consent', scopes: ['openid', 'phone'] });
    // A decision counts only for the person who made it.
    const other = await register(server);
    const others = await openRequest(server, { app, browser: other.browser });
    expect(await stepOf(other.browser, others.id)).toMatchObject({ step: 'consent' });
  });

  test('sees a refusal outside of the application’s groups, and loses access with the group', async () => {
    const { id: accountId, app, browser } = await addAppAndPerson(server, { groups: ['staff', 'guests'] });
    const { id } = await openRequest(server, { app, browser });
    expect(await stepOf(browser, id)).toMatchObject({ step: 'refused' });
    expect((await decideAs(server, { browser, id, allow: false })).searchParams.get('error')).toBe('access_denied');
    await addToGroup(server.store, { accountId, group: 'guests', at: server.now() });
    const tokens = await signInTo(server, { app, browser, parameters: { scope: 'openid groups' } });
    const person = await openid.fetchUserInfo(app.config, tokens.access_token, accountId);
    expect(person.groups).toEqual(['guests']);
    await server.store.deleteFrom('account_groups').where('account_id', '=', accountId).execute();
    await expect(openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test.each<[string, Record<string, string>]>([
    ['prompt=login', { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['max_age', { max_age: '60' }],
  ])('signs in again for %s, and stays signed in to other applications', async (_name, parameters) => {
    const { app, browser, email } = await addAppAndPerson(server);
    const former = await signInTo(server, { app, browser });
    server.forward(minutes(2));
    const { request, id } = await openRequest(server, { app, browser, parameters });
    expect(await stepOf(browser, id)).toMatchObject({ step: 'sign_in_again' });
    server.forward(seconds(1));
    await browser.post('/auth/login', { email, password });
    const callback = await continueAs(server, { browser, id });
    expect(callback.searchParams.get('error')).toBeNull();
    expect(callback.searchParams.has('code')).toBe(true);
    expect(request.state).toBe(callback.searchParams.get('state'));
    const refreshed = await openid.refreshTokenGrant(app.config, former.refresh_token ?? '');
    expect(refreshed.access_token).toBeTruthy();
  });

  test('comes to registration with prompt=create, unless signed in', async () => {
    const app = await addApplication(server);
    const { url } = await authorizationRequest(app, { prompt: 'create', ui_locales: 'de' });
    const place = ({ headers }: { readonly headers: Headers }) =>
      new URL(headers.get('location') ?? '', 'http://localhost');
    const path = url.pathname + url.search;
    const { pathname, searchParams } = place(await server.client().get(path));
    expect(pathname).toBe('/de/register/');
    expect(searchParams.get('return_to')).toMatch(/^\/de\/connect\/\?request=/);
    const { browser } = await register(server);
    expect(place(await browser.get(path)).searchParams.has('code')).toBe(true);
  });

  test('cannot sign in with less than the application requires', async () => {
    const { app, browser, email } = await addAppAndPerson(server);
    const { id } = await openRequest(server, { app, browser, parameters: { acr_values: 'aal2' } });
    server.forward(seconds(2));
    await browser.post('/auth/login', { email, password });
    const callback = await continueAs(server, { browser, id });
    expect(callback.searchParams.get('error')).toBe('unmet_authentication_requirements');
    expect((await signInTo(server, { app, browser, parameters: { acr_values: 'aal1' } })).claims()?.acr).toBe('aal1');
  });

  test('is never shown a page for prompt=none', async () => {
    const app = await addApplication(server, { first_party: false });
    const errorOf = async (browser: ReturnType<typeof server.client>) =>
      (await openRequest(server, { app, browser, parameters: { prompt: 'none' } })).target.searchParams.get('error');
    expect(await errorOf(server.client())).toBe('login_required');
    const { browser } = await register(server);
    expect(await errorOf(browser)).toBe('consent_required');
  });

  test('who is another one than the application expects chooses the account', async () => {
    const app = await addApplication(server);
    const [one, two] = [await register(server), await register(server)];
    const { id_token: hint = '' } = await signInTo(server, { app, browser: one.browser });
    const { id } = await openRequest(server, { app, browser: two.browser, parameters: { id_token_hint: hint } });
    expect(await stepOf(two.browser, id)).toMatchObject({ step: 'sign_in_again' });
  });

  test('sees the connected application, and disconnects it', async () => {
    const { app, browser } = await addAppAndPerson(server, { client_name: '<script>alert(1)</script>' });
    const tokens = await signInTo(server, { app, browser });
    const { apps } = (await browser.get('/account/apps')).body;
    expect(apps).toMatchObject([
      { id: app.id, name: '<script>alert(1)</script>', scopes: ['openid', 'profile', 'email'] },
    ]);
    const exported = (await browser.get('/account/export')).body;
    expect(exported.connected_apps).toMatchObject([{ name: '<script>alert(1)</script>' }]);
    const disconnect = () => browser.send('DELETE', `/account/apps/${app.id}`, {});
    expect((await (await register(server)).browser.send('DELETE', `/account/apps/${app.id}`, {})).status).toBe(404);
    expect((await disconnect()).status).toBe(204);
    expect((await disconnect()).status).toBe(404);
    await expect(openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(openid.fetchUserInfo(app.config, tokens.access_token, openid.skipSubjectCheck)).rejects.toThrow();
  });

  test('reaches a native app at any loopback port, after agreeing each time', async () => {
    const { app, browser } = await addAppAndPerson(server, {
      public: true,
      redirect_uris: ['http://127.0.0.1/callback'],
    });
    const parameters = { redirect_uri: 'http://127.0.0.1:49152/callback' };
    const { id } = await openRequest(server, { app, browser, parameters });
    expect(await stepOf(browser, id)).toMatchObject({ step: 'consent', site: '127.0.0.1:49152' });
    const callback = await decideAs(server, { browser, id, allow: true });
    expect(callback.host).toBe('127.0.0.1:49152');
    const again = await openRequest(server, { app, browser, parameters });
    expect(await stepOf(browser, again.id)).toMatchObject({ step: 'consent' });
  });

  test('gets the response in a form, if the application prefers that', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const { url } = await authorizationRequest(app, { response_mode: 'form_post' });
    const page = await browser.get(String(url).replace(server.config.PUBLIC_URL, ''), { accept: 'text/html' });
    expect(page.body).toContain('action="https://app.example/signed-in"');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("form-action 'self' https://app.example;");
    expect(policy).toMatch(/script-src 'self' 'sha256-/);
    expect(locationOf(page, server).href).toBe('about:blank');
  });
});

test('a service without applications has no provider', async () => {
  const server = await openTestServer('sqlite');
  expect((await server.client().get('/.well-known/openid-configuration')).status).toBe(404);
  expect((await server.client().get('/oidc/auth?client_id=x')).status).toBe(404);
  const { keys } = (await server.client().get('/.well-known/jwks.json')).body;
  expect(keys.map(({ alg }: { alg: string }) => alg)).toEqual(['ES256']);
});

describe.each(usualEngines)('letting a device in, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  const begin = async () => {
    const app = await addApplication(server, { redirect_uris: [], public: true, device: true });
    const begun = await openid.initiateDeviceAuthorization(app.config, { scope: 'openid' });
    return { app, begun, decision: (allow: boolean) => ({ user_code: begun.user_code, allow }) };
  };

  test('needs a fresh proof of identity; refusing it does not', async () => {
    const { browser } = await register(server);
    server.forward(minutes(8));
    await browser.post('/auth/refresh', {});
    server.forward(minutes(8));
    await browser.post('/auth/refresh', {});
    const decide = (given: object) => browser.post('/connect/device/decision', given);
    const [wanted, refused] = [await begin(), await begin()];
    expect(await decide(wanted.decision(true))).toSay('401 step_up_required');
    expect((await decide(refused.decision(false))).status).toBe(204);
    await browser.post('/auth/step-up', { password });
    expect((await decide(wanted.decision(true))).status).toBe(204);
  });

  test('is recorded and emailed to a proven address, once, and “sign out everywhere” ends it', async () => {
    const { browser, email } = await register(server);
    const at = server.now();
    await server.store.updateTable('accounts').set({ email_proven_at: at }).where('email', '=', email).execute();
    const { app, begun, decision } = await begin();
    const decide = () => browser.post('/connect/device/decision', decision(true));
    const decided = [...(await Promise.all([decide(), decide(), decide()])), await decide()];
    expect(decided.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    const { text } = await server.mailTo(email, /^A device was connected/);
    expect(text).toContain('can now use Grafana on your behalf');
    expect((await kindsOf(browser)).filter((kind) => kind === 'device_let_in')).toHaveLength(1);
    const tokens = await openid.pollDeviceAuthorizationGrant(app.config, { ...begun, interval: 0 });
    expect((await browser.get('/account/apps')).body.apps).toMatchObject([{ id: app.id }]);
    await browser.send('DELETE', '/account/sessions', {});
    await expect(openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe.each(usualEngines)('what applications begin, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('is not limited for an office behind one address while there is room', async () => {
    const app = await addApplication(server);
    const path = String((await authorizationRequest(app)).url).replace(server.config.PUBLIC_URL, '');
    const statuses = new Set<number>();
    for (let at = 0; at < 310; at += 1) statuses.add((await server.client().get(path)).status);
    expect([...statuses]).toEqual([303]);
    const code_challenge = await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier());
    const usual = { redirect_uri: redirectUri, scope: 'openid', response_type: 'code', state: 'x' };
    const parameters = { ...usual, code_challenge, code_challenge_method: 'S256' };
    for (let at = 0; at < 310; at += 1) await openid.buildAuthorizationUrlWithPAR(app.config, parameters);
  });

  test.each([
    ['image', {}, 403],
    ['iframe', {}, 403],
    ['empty', {}, 403],
    ['iframe', { prompt: 'none' }, 303],
    ['document', {}, 303],
  ])('begins in a page of another site as its %s with %j: %i', async (dest, parameters, status) => {
    const app = await addApplication(server);
    const { url } = await authorizationRequest(app, parameters);
    const path = String(url).replace(server.config.PUBLIC_URL, '');
    expect((await server.client().get(path, { 'sec-fetch-dest': dest })).status).toBe(status);
  });

  test('shows people a page if it fails, never JSON', async () => {
    const response = await server.client().get('/oidc/auth?client_id=x', {
      accept: 'text/html',
      'sec-fetch-dest': 'image',
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
  });
});

describe.each(usualEngines)('a page of another site, on %s,', async (engine) => {
  const server = await openTestServer(engine);
  const app = await addApplication(server, { first_party: false });
  await addGuardedClient(server, { id: 'wiki', origins: ['https://wiki.example'], groups: ['staff'] });
  const { browser } = await register(server);

  const pathOf = async (parameters: Record<string, string> = {}) => {
    const { url } = await authorizationRequest(app, parameters);
    return url.pathname + url.search;
  };

  const pages: [string, () => string | Promise<string>][] = [
    ['sign-in', () => '/'],
    ['registration', () => '/register/'],
    ['recovery', () => '/recovery/'],
    ['new password', () => '/reset-password/'],
    ['second step', () => '/second-step/'],
    ['consent', async () => `/connect/?request=${(await openRequest(server, { app, browser })).id}`],
    ['error', () => '/de/connect/failed/?error=invalid_request'],
    ['device code', () => '/device/?user_code=WDJB-MJHT'],
    ['sign-out', () => '/sign-out/'],
    ['missing access', () => '/no-access/?client=wiki'],
    ['connected applications', () => '/account/privacy/'],
    ['authorization request', () => pathOf()],
    ['authorization request of a signed-out browser', () => pathOf({ prompt: 'login' })],
    ['refused authorization request', () => pathOf({ redirect_uri: 'https://evil.example/' })],
    ['response in a form', () => pathOf({ response_mode: 'form_post', prompt: 'none' })],
    ['continuation', () => '/oidc/auth/unknown'],
    ['end of the session', () => '/oidc/end-session'],
    ['user information', () => '/oidc/me'],
    ['configuration', () => '/.well-known/openid-configuration'],
    ['unknown address', () => '/oidc/unknown'],
    ['guard', () => '/forward-auth/wiki/sign-in?state=x'],
  ];

  test.each(pages)('cannot show our page in a frame: %s', async (_name, path) => {
    const { status, headers } = await browser.get(await path(), { accept: 'text/html' });
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
