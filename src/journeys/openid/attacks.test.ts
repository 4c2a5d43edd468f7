import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { days, minutes, seconds } from '../../contract/units.ts';
import { maxLateResponses } from '../../store/access/sessions.ts';
import { refusalsOf } from '../../store/applications/clients.ts';
import { cleanUp } from '../../store/clean-up.ts';
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
  reach,
  redeem,
  redirectUri,
  signInTo,
} from '../../testing/applications/application.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** A code of a signed-in browser, and what its application needs to redeem it. */
const codeFor = async (server: TestServer, app: Application) => {
  const { browser, email } = await register(server);
  const { request, target: callback } = await openRequest(server, { app, browser });
  return { browser, email, request, callback, code: callback.searchParams.get('code') ?? '' };
};

const codeGrant = (code: string, verifier: string, uri = redirectUri) => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: verifier,
  redirect_uri: uri,
});

describe.each(engines)('an attacker at two nodes, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('redeems a code once, although twenty requests reach two nodes together', async () => {
    const nodes = [server, await server.otherNode()];
    const app = await addApplication(server);
    const { request, code } = await codeFor(server, app);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        post(nodes[at % 2] as TestServer, '/oidc/token', codeGrant(code, request.verifier), basic(app)),
      ),
    );
    // Each may be the repetition of one whose response was lost, and gets the same refresh token.
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ body }) => body.refresh_token)).size).toBe(1);
  });
});

describe.each(usualEngines)('an attacker, on %s,', async (engine) => {
  const server = await openTestServer(engine);
  const revoke = (server: TestServer, token: string, app: Application) =>
    reach(server)(`${server.config.PUBLIC_URL}/oidc/revocation`, {
      method: 'POST',
      headers: basic(app),
      body: new URLSearchParams({ token }),
    });
  const refreshAs = (app: Application, refresh_token: string) =>
    post(server, '/oidc/token', { grant_type: 'refresh_token', refresh_token }, basic(app));

  test('ends the tokens of a code by using it again', async () => {
    const app = await addApplication(server);
    const { request, callback, code } = await codeFor(server, app);
    const tokens = await redeem(app, request, callback);
    const again = () => post(server, '/oidc/token', codeGrant(code, request.verifier), basic(app));
    // Its response may have been lost.
    expect((await again()).body.refresh_token).toBe(tokens.refresh_token);
    server.forward(seconds(11));
    expect((await again()).body.error).toBe('invalid_grant');
    expect((await refreshAs(app, tokens.refresh_token ?? '')).body.error).toBe('invalid_grant');
    expect((await server.client().get('/oidc/me', { authorization: `Bearer ${tokens.access_token}` })).status).toBe(
      401,
    );
  });

  test('cannot use a code with another verifier, client or redirect URI', async () => {
    const app = await addApplication(server, { redirect_uris: [redirectUri, 'https://app.example/other'] });
    const other = await addApplication(server);
    const { request, code } = await codeFor(server, app);
    const wrong: [Application, Record<string, string>][] = [
      [app, codeGrant(code, openid.randomPKCECodeVerifier())],
      [app, { grant_type: 'authorization_code', code, redirect_uri: redirectUri }],
      [other, codeGrant(code, request.verifier)],
      // The challenge itself, as if its method were `plain`.
      [app, codeGrant(code, request.url.searchParams.get('code_challenge') ?? '')],
      [app, codeGrant(code, request.verifier, 'https://app.example/other')],
    ];
    for (const [client, fields] of wrong)
      expect((await post(server, '/oidc/token', fields, basic(client))).body.error).toBe('invalid_grant');
    expect((await post(server, '/oidc/token', codeGrant(code, request.verifier), basic(app))).status).toBe(200);
  });

  test.each([
    'https://APP.example/signed-in/',
    'https://app.example/signed-in/',
    'https://app.example/Signed-in',
    'https://app.example:8443/signed-in',
    'https://evil@app.example/signed-in',
    'https://app.example/signed-in#fragment',
    'https://app.example/signed-in?more=1',
    'https://app.example/%73igned-in',
    'https://app.example/x/../signed-in',
    'https://evil.app.example/signed-in',
    'https://app.example.evil.example/signed-in',
    'http://app.example/signed-in',
    'https://app.example\\@evil.example/signed-in',
    'https://app.example/signed-in\t',
    'https://app.example/signed-in%0d%0a',
    'https://app.example./signed-in',
    'https://app.example/signed-in;x',
    '//app.example/signed-in',
    'javascript:alert(1)',
  ])('gets no code at %s', async (uri) => {
    const { app, browser } = await addAppAndPerson(server);
    const { target } = await openRequest(server, { app, browser, parameters: { redirect_uri: uri } });
    expect([target.origin, target.pathname, target.searchParams.get('code')]).toEqual([
      server.config.PUBLIC_URL,
      '/connect/failed/',
      null,
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['with a foreign request_uri', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
    ['with registration', { registration: '{}' }, 'registration_not_supported'],
    ['for an implicit token', { response_type: 'id_token token' }, 'unsupported_response_type'],
    ['for an unknown API', { resource: 'https://api.example/' }, 'invalid_target'],
    ['for our own API', { resource: 'https://door.example' }, 'invalid_target'],
  ])('is refused %s', async (_name, parameters, error) => {
    const { app, browser } = await addAppAndPerson(server, {
      resources: ['https://door.example', 'https://door.example/'],
    });
    const { url } = await authorizationRequest(app, parameters);
    for (const [name, value] of Object.entries(parameters)) if (value === '') url.searchParams.delete(name);
    const target = locationOf(await follow(browser, server, url), server);
    // Errors of implicit requests are in the fragment.
    const response = new URLSearchParams(target.search || target.hash.slice(1));
    expect([response.get('code'), response.get('error')]).toEqual([null, error]);
  });

  test('who drops state or nonce, or mixes issuers up, is noticed by the application', async () => {
    const app = await addApplication(server);
    const { request, callback } = await codeFor(server, app);
    const changed = (name: string, value: string) => {
      const url = new URL(callback);
      url.searchParams.set(name, value);
      return url;
    };
    await expect(redeem(app, request, changed('iss', 'https://evil.example'))).rejects.toThrow();
    await expect(redeem(app, request, changed('state', 'other'))).rejects.toThrow();
    await expect(redeem(app, { ...request, nonce: 'other' }, callback)).rejects.toThrow();
  });

  test('is slowed down after many wrong secrets, and cannot keep the right one out', async () => {
    const app = await addApplication(server, { redirect_uris: [], service: true });
    const guess = (secret: string) => {
      const headers = { ...basic({ ...app, secret }), 'x-forwarded-for': '192.0.2.7' };
      return post(server, '/oidc/token', { grant_type: 'client_credentials' }, headers);
    };
    const guesses: number[] = [];
    for (let at = 0; at < 102; at += 1) guesses.push((await guess(`wrong ${at}`)).status);
    expect([guesses.indexOf(429), guesses.at(-1)]).toEqual([100, 429]);
    expect((await guess(app.secret ?? '')).status).toBe(200);
    // Addresses and their secrets end up in logs.
    const inUrl = await post(server, `/oidc/token?client_id=${app.id}&client_secret=${app.secret}`, {
      grant_type: 'client_credentials',
    });
    expect(inUrl.status).toBe(400);
  });

  test('a copied refresh token ends the grant; a lost response does not', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const first = (await signInTo(server, { app, browser })).refresh_token ?? '';
    const refresh = (token: string) => refreshAs(app, token);
    const parallel = await Promise.all([refresh(first), refresh(first), refresh(first)]);
    expect(parallel.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [second] = [...new Set(parallel.map(({ body }) => body.refresh_token as string))];
    expect(new Set(parallel.map(({ body }) => body.refresh_token)).size).toBe(1);
    // The response was lost, and the application tries again a minute later.
    server.forward(seconds(60));
    expect((await refresh(first)).body.refresh_token).toBe(second);
    const third = (await refresh(second ?? '')).body.refresh_token ?? '';
    expect((await refresh(first)).body.error).toBe('invalid_grant');
    expect((await refresh(third)).body.error).toBe('invalid_grant');
    // Its owner and its operator can see it.
    const [latest] = (await browser.get('/account/activity')).body.records;
    expect(latest).toMatchObject({ kind: 'app_reused' });
    expect(await refusalsOf(server.store, app.id)).toMatchObject([
      { code: 'invalid_grant', route: '/oidc/token' },
      { code: 'invalid_grant', explanation: 'grant request is invalid: refresh token already used' },
    ]);
  });

  test('finds no row of older refresh tokens, and an old copy still ends the grant', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const refresh = (token: string) => refreshAs(app, token);
    const tokens = [(await signInTo(server, { app, browser })).refresh_token ?? ''];
    for (let at = 0; at < 6; at += 1) tokens.push((await refresh(tokens[at] ?? '')).body.refresh_token ?? '');
    const grants = server.store.selectFrom('client_grants').select('id').where('client_id', '=', app.id);
    const rows = await server.store
      .selectFrom('openid_records')
      .select('key')
      .where('grant_id', 'in', grants)
      .where('payload', 'like', '%"RefreshToken"%')
      .where('expires_at', '>', server.now())
      .execute();
    expect(rows).toHaveLength(2);
    const [grant = '', family = '', , mac = ''] = (tokens[2] ?? '').split('.');
    expect((await refresh([grant, family, 1, mac].join('.'))).body.error).toBe('invalid_grant');
    expect((await refresh(tokens[2] ?? '')).body.error).toBe('invalid_grant');
    expect((await refresh(tokens[6] ?? '')).body.error).toBe('invalid_grant');
    expect((await browser.get('/account/activity')).body.records[0]).toMatchObject({ kind: 'app_reused' });
  });

  test('cannot refresh one grant without a pause', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const token = (await signInTo(server, { app, browser })).refresh_token ?? '';
    const refresh = () => refreshAs(app, token);
    const statuses = (await Promise.all(Array.from({ length: 301 }, refresh))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    server.forward(minutes(10));
    expect((await refresh()).status).toBe(200);
  });

  test('cannot use up the late repeats of a refresh token by introspecting it', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const first = (await signInTo(server, { app, browser })).refresh_token ?? '';
    const refresh = () => refreshAs(app, first);
    const { refresh_token: second } = (await refresh()).body;
    expect(second).toEqual(expect.any(String));
    server.forward(minutes(1));
    for (let time = 0; time < 2 * maxLateResponses; time += 1)
      expect((await post(server, '/oidc/introspection', { token: first }, basic(app))).body).toEqual({ active: false });
    // The response with the successor was lost.
    expect((await refresh()).body.refresh_token).toBe(second);
  });

  test('with another client can neither revoke a refresh token nor use up its late repeats', async () => {
    const [app, other] = [await addApplication(server), await addApplication(server)];
    const { browser } = await register(server);
    const first = (await signInTo(server, { app, browser })).refresh_token ?? '';
    const refresh = (client = app) => refreshAs(client, first);
    const { refresh_token: second } = (await refresh()).body;
    expect(second).toEqual(expect.any(String));
    server.forward(minutes(1));
    for (let time = 0; time < 2 * maxLateResponses; time += 1) {
      expect((await revoke(server, first, other)).status).toBe(200);
      expect((await refresh(other)).body.error).toBe('invalid_grant');
    }
    expect((await refresh()).body.refresh_token).toBe(second);
    // The application itself may revoke its grant with a used token (RFC 7009).
    expect((await revoke(server, first, app)).status).toBe(200);
    expect((await refresh()).body.error).toBe('invalid_grant');
  });

  test('cannot sign a person out with the ID token of another person', async () => {
    const app = await addApplication(server, { post_logout_redirect_uris: ['https://app.example/bye'] });
    const [victim, attacker] = [await register(server), await register(server)];
    await signInTo(server, { app, browser: victim.browser });
    const { id_token = '' } = await signInTo(server, { app, browser: attacker.browser });
    const response = await victim.browser.get(`/oidc/end-session?id_token_hint=${id_token}`);
    expect(locationOf(response, server).pathname).toBe('/sign-out/');
    expect((await victim.browser.get('/account')).status).toBe(200);
    const forged = await victim.browser.get('/oidc/end-session?id_token_hint=e30.e30.e30&client_id=x');
    expect([locationOf(forged, server).pathname, locationOf(forged, server).search]).toEqual(['/sign-out/', '']);
    const elsewhere = `/oidc/end-session?client_id=${app.id}&post_logout_redirect_uri=https://evil.example/`;
    expect(locationOf(await victim.browser.get(elsewhere), server).search).toBe('');
    // A page of another origin cannot press our button.
    const pressed = await victim.browser.send('POST', '/connect/sign-out', {
      body: {},
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(pressed.status).toBe(403);
    expect((await victim.browser.get('/account')).status).toBe(200);
  });

  test('with headers cannot move our addresses', async () => {
    await addApplication(server);
    const { body } = await server.client().get('/.well-known/openid-configuration', {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    });
    expect(JSON.stringify(body)).not.toContain('evil');
    expect(body).toMatchObject({
      issuer: 'https://door.example',
      token_endpoint: 'https://door.example/oidc/token',
      end_session_endpoint: 'https://door.example/oidc/end-session',
      request_uri_parameter_supported: false,
      code_challenge_methods_supported: ['S256'],
    });
    expect(body).not.toHaveProperty('registration_endpoint');
  });

  test('cannot sign in as another person by naming that session in a cookie', async () => {
    const [victim, attacker] = [await register(server), await register(server)];
    // Access tokens and cookies of guarded applications contain the id of the session, so other services know it.
    const { sid, sub } = decodeJwt(victim.browser.token ?? '');
    const own = [...attacker.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const planted = [
      `openid_session=${sid}; ${own}`,
      `openid_x=1;openid_session=${sid}; ${own}`,
      `openid_resume=1;openid_session=${sid}; ${own}`,
      `openid_x="1;openid_session=${sid}"; ${own}`,
      `openid_resume=1%3Bopenid_session=${sid}; ${own}`,
      `openid_resume=1%3B%20openid_session%3D${sid}; ${own}`,
      `${own};openid_session=${sid}`,
    ];
    for (const cookie of planted) {
      const app = await addApplication(server);
      const request = await authorizationRequest(app, { scope: 'openid email offline_access' });
      const path = String(request.url).replace(server.config.PUBLIC_URL, '');
      const callback = locationOf(await attacker.browser.get(path, { cookie, accept: 'text/html' }), server);
      const tokens = await redeem(app, request, callback);
      expect(tokens.claims()?.sub, cookie).not.toBe(sub);
    }
  });

  test('cannot get a code with an old copy of a refresh cookie', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const copy = browser.copy();
    for (let at = 0; at < 2; at += 1) {
      server.forward(minutes(1));
      expect((await browser.post('/auth/refresh')).status).toBe(200);
    }
    const { url } = await authorizationRequest(app);
    expect(locationOf(await follow(copy, server, url), server).pathname).toBe('/connect/');
    expect(locationOf(await follow(browser, server, url), server).searchParams.get('code')).not.toBeNull();
  });

  test('cannot get a code by repeating a parameter, or at a pushed address', async () => {
    const { app, browser } = await addAppAndPerson(server);
    const { url } = await authorizationRequest(app);
    url.searchParams.append('redirect_uri', 'https://evil.example/');
    const target = locationOf(await follow(browser, server, url), server);
    expect([target.searchParams.get('code'), target.href.includes('evil')]).toEqual([null, false]);
    const asked = Object.fromEntries((await authorizationRequest(app)).url.searchParams);
    const pushed = await post(server, '/oidc/par', { ...asked, redirect_uri: 'https://evil.example/' }, basic(app));
    expect([pushed.status, pushed.body.error_description]).toEqual([400, expect.stringContaining('redirect_uri')]);
  });

  test('with the ID token of another person learns nothing without a page', async () => {
    const app = await addApplication(server);
    const [victim, attacker] = [await register(server), await register(server)];
    const { id_token = '' } = await signInTo(server, { app, browser: attacker.browser });
    for (const hint of [id_token, `${id_token.slice(0, -4)}AAAA`, 'e30.e30.e30']) {
      const { target } = await openRequest(server, {
        app,
        browser: victim.browser,
        parameters: { prompt: 'none', id_token_hint: hint },
      });
      expect([target.searchParams.get('code'), target.searchParams.get('error')]).toEqual([
        null,
        hint === id_token ? 'login_required' : 'invalid_request',
      ]);
    }
  });

  test('cannot read tokens on a page without an origin', async () => {
    const app = await addApplication(server, {
      public: true,
      redirect_uris: ['com.example.app:/signed-in', 'https://spa.example/signed-in'],
    });
    const allowed = async (origin: string) => {
      const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
      const sent = { method: 'POST', headers, body: new URLSearchParams(codeGrant('x', 'y')) };
      sent.body.set('client_id', app.id);
      const response = await reach(server)(`${server.config.PUBLIC_URL}/oidc/token`, sent);
      return response.headers.get('access-control-allow-origin');
    };
    // A sandboxed frame sends this origin. To a URL parser, the origin of an app's URI is the same word.
    expect(await allowed('null')).toBeNull();
    expect(await allowed('https://spa.example')).toBe('https://spa.example');
  });

  test('cannot fill the database with unfinished requests of one session', { tags: 'full' }, async () => {
    const { app, browser } = await addAppAndPerson(server);
    const { url } = await authorizationRequest(app);
    const path = String(url).replace(server.config.PUBLIC_URL, '');
    const unfinished: number[] = [];
    for (let at = 0; at < 310; at += 1) unfinished.push((await browser.get(`${path}&prompt=login`)).status);
    expect(unfinished.filter((status) => status === 303)).toHaveLength(300);
    expect(unfinished.at(-1)).toBe(503);
    const other = await register(server);
    expect((await other.browser.get(`${path}&prompt=login`)).status).toBe(303);
  });

  test('with 10,000 unfinished requests does not delay others, and the requests disappear', {
    tags: 'full',
  }, async () => {
    const app = await addApplication(server);
    const payload = JSON.stringify({ kind: 'Interaction', params: { client_id: app.id, state: 'x'.repeat(500) } });
    const flooding = { payload, expires_at: server.now() + minutes(60) };
    for (let from = 0; from < 10_000; from += 1000) {
      const rows = Array.from({ length: 1000 }, (_, at) => ({ ...flooding, key: `flood ${from + at}` }));
      await server.store.insertInto('openid_records').values(rows).execute();
    }
    await signInTo(server, { app, browser: (await register(server)).browser });
    const flood = server.store.selectFrom('openid_records').select('key').where('key', 'like', 'flood %');
    const left = async () => (await flood.execute()).length;
    const clean = () => cleanUp(server.store, { now: server.now(), activityKept: days(90), others: [] });
    await clean();
    expect(await left()).toBe(10_000);
    server.forward(minutes(61));
    await clean();
    expect(await left()).toBe(0);
  });

  test('cannot fill the database with requests of a signed-in browser', { tags: 'full' }, async () => {
    const { app, browser } = await addAppAndPerson(server);
    const { url } = await authorizationRequest(app, { prompt: 'consent' });
    const path = String(url).replace(server.config.PUBLIC_URL, '');
    const statuses: number[] = [];
    for (let at = 0; at < 310; at += 1) statuses.push((await browser.get(path)).status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(300);
    // Colleagues behind the same address have limits of their own.
    expect((await (await register(server)).browser.get(path)).status).toBe(303);
  });
});
