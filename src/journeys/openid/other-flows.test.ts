import { createLocalJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import {
  type Application,
  addApplication,
  locationOf,
  reach,
  redirectUri,
} from '../../testing/applications/application.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** The same application, with `oauth4webapi` as its library. */
async function withOauth4webapi(server: TestServer, { id, secret }: Application) {
  const options = { [oauth.customFetch]: reach(server) as never };
  const issuer = new URL(server.config.PUBLIC_URL);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const client: oauth.Client = { client_id: id };
  const auth = secret === undefined ? oauth.None() : oauth.ClientSecretPost(secret);
  return { as, client, auth, options };
}

describe.each(usualEngines)('an application that uses oauth4webapi, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('pushes its request, then gets its code', async () => {
    const { as, client, auth, options } = await withOauth4webapi(server, await addApplication(server));
    const { browser } = await register(server);
    const verifier = oauth.generateRandomCodeVerifier();
    const pushed = await oauth.processPushedAuthorizationResponse(
      as,
      client,
      await oauth.pushedAuthorizationRequest(
        as,
        client,
        auth,
        {
          redirect_uri: redirectUri,
          scope: 'openid email',
          response_type: 'code',
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        },
        options,
      ),
    );
    const query = new URLSearchParams({ client_id: client.client_id, request_uri: pushed.request_uri });
    const callback = locationOf(await browser.get(`/oidc/auth?${query}`), server);
    const parameters = oauth.validateAuthResponse(as, client, callback);
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      parameters,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, { requireIdToken: true });
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe((await browser.get('/account')).body.id);
  });

  test('gets a JWT for an API with client credentials, which our own API refuses', async () => {
    const api = 'https://api.example/';
    const app = await addApplication(server, { redirect_uris: [], service: true, resources: [api] });
    const { as, client, auth, options } = await withOauth4webapi(server, app);
    const request = () => oauth.clientCredentialsGrantRequest(as, client, auth, { resource: api }, options);
    const tokens = await oauth.processClientCredentialsResponse(as, client, await request());
    const { keys } = (await server.client().get('/.well-known/jwks.json')).body;
    const { payload } = await jwtVerify(tokens.access_token, createLocalJWKSet({ keys }), {
      issuer: server.config.PUBLIC_URL,
      audience: api,
      typ: 'at+jwt',
    });
    expect(payload).toMatchObject({ client_id: app.id, sub: app.id });
    const ours = await server.client().get('/account', { authorization: `Bearer ${tokens.access_token}` });
    expect(ours.status).toBe(401);
  });

  test('signs a television in with a code, once', async () => {
    const app = await addApplication(server, { public: true, redirect_uris: [], device: true, first_party: false });
    const { as, client, auth, options } = await withOauth4webapi(server, app);
    const begin = async () =>
      oauth.processDeviceAuthorizationResponse(
        as,
        client,
        await oauth.deviceAuthorizationRequest(as, client, auth, { scope: 'openid profile' }, options),
      );
    const poll = async (code: string) => {
      const response = await oauth.deviceCodeGrantRequest(as, client, auth, code, options);
      return oauth.processDeviceCodeResponse(as, client, response);
    };
    const { device_code, user_code, verification_uri } = await begin();
    expect(verification_uri).toBe('https://door.example/device/');
    await expect(poll(device_code)).rejects.toMatchObject({ error: 'authorization_pending' });
    const { browser } = await register(server);
    const typed = user_code.toLowerCase().replace('-', ' ');
    expect((await browser.post('/connect/device', { user_code: typed })).body).toEqual({
      app: 'Grafana',
      scopes: ['openid', 'profile'],
      apis: [],
    });
    const decide = (allow: boolean, code = typed) =>
      browser.post('/connect/device/decision', { user_code: code, allow });
    const decisions = await Promise.all([decide(true), decide(true), decide(true)]);
    // One decides; the others lose, or repeat it as after a lost response.
    for (const { status } of decisions) expect([204, 410]).toContain(status);
    expect((await decide(true)).status).toBe(204);
    expect((await decide(false)).status).toBe(410);
    const stranger = (await register(server)).browser;
    const copied = await stranger.post('/connect/device/decision', { user_code: typed, allow: true });
    expect(copied.status).toBe(410);
    expect((await browser.get('/account/apps')).body.apps).toHaveLength(1);
    const tokens = await poll(device_code);
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe((await browser.get('/account')).body.id);
    // Its response may have been lost; once the device has used it, the code is worth nothing.
    expect((await poll(device_code)).refresh_token).toBe(tokens.refresh_token);
    // It does not depend on the browser that let it in, and the account page lists it.
    expect((await browser.get('/account/apps')).body.apps).toMatchObject([{ id: app.id }]);

    const refused = await begin();
    for (const time of [1, 2]) expect([time, (await decide(false, refused.user_code)).status]).toEqual([time, 204]);
    expect((await decide(true, refused.user_code)).status).toBe(410);
    await expect(poll(refused.device_code)).rejects.toMatchObject({ error: 'access_denied' });
    expect((await browser.post('/connect/device', { user_code: 'AAAA-AAAA' })).status).toBe(410);

    // Others behind an address that sent 20 wrong codes can still enter theirs.
    const office = { 'x-forwarded-for': '203.0.113.7' };
    const guess = async () => (await browser.post('/connect/device', { user_code: 'AAAA-AAAA' }, office)).status;
    for (let time = 0; time < 23; time += 1) expect(await guess()).toBe(410);
    expect(await guess()).toBe(429);
    const neighbor = (await register(server)).browser;
    expect((await neighbor.post('/connect/device', { user_code: (await begin()).user_code }, office)).status).toBe(200);
  });

  test('introspects and revokes only its own tokens', async () => {
    const mine = await withOauth4webapi(server, await addApplication(server, { redirect_uris: [], service: true }));
    const other = await withOauth4webapi(server, await addApplication(server, { redirect_uris: [], service: true }));
    const { as, client, auth, options } = mine;
    const granted = await oauth.clientCredentialsGrantRequest(as, client, auth, {}, options);
    const { access_token } = await oauth.processClientCredentialsResponse(as, client, granted);
    const isActive = async (by: typeof mine) => {
      const response = await oauth.introspectionRequest(as, by.client, by.auth, access_token, options);
      return (await oauth.processIntrospectionResponse(as, by.client, response)).active;
    };
    expect([await isActive(mine), await isActive(other)]).toEqual([true, false]);
    await oauth.revocationRequest(as, other.client, other.auth, access_token, options);
    expect(await isActive(mine)).toBe(true);
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, access_token, options));
    expect(await isActive(mine)).toBe(false);
  });
});
