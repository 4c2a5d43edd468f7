import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { addToGroup } from '../../store/applications/account-groups.ts';
import {
  addApplication,
  authorizationRequest,
  locationOf,
  redeem,
  signInTo,
} from '../../testing/applications/application.ts';
import { continueAs, decideAs, openRequest, stepOf } from '../../testing/applications/page.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('a person who opens an application, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('signs in on our page, in the language of the application, and returns', async () => {
    const app = await addApplication(server);
    const { email } = await register(server);
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
    const app = await addApplication(server, { first_party: false });
    const { browser } = await register(server);
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
    const app = await addApplication(server, { groups: ['staff', 'guests'] });
    const { browser } = await register(server);
    const accountId = (await browser.get('/account')).body.id;
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
    const app = await addApplication(server);
    const { browser, email } = await register(server);
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
    const app = await addApplication(server);
    const { browser, email } = await register(server);
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
    const app = await addApplication(server, { client_name: '<script>alert(1)</script>' });
    const { browser } = await register(server);
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
    const app = await addApplication(server, { public: true, redirect_uris: ['http://127.0.0.1/callback'] });
    const { browser } = await register(server);
    const parameters = { redirect_uri: 'http://127.0.0.1:49152/callback' };
    const { id } = await openRequest(server, { app, browser, parameters });
    expect(await stepOf(browser, id)).toMatchObject({ step: 'consent', site: '127.0.0.1:49152' });
    const callback = await decideAs(server, { browser, id, allow: true });
    expect(callback.host).toBe('127.0.0.1:49152');
    const again = await openRequest(server, { app, browser, parameters });
    expect(await stepOf(browser, again.id)).toMatchObject({ step: 'consent' });
  });

  test('gets the response in a form, if the application prefers that', async () => {
    const app = await addApplication(server);
    const { browser } = await register(server);
    const { url } = await (await import('../../testing/applications/application.ts')).authorizationRequest(app, {
      response_mode: 'form_post',
    });
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
