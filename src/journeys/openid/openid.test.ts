import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import {
  addApplication,
  authorizationRequest,
  follow,
  locationOf,
  redeem,
  redirectUri,
  signInTo,
} from '../../testing/applications/application.ts';
import { engines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(engines)('an application, on %s,', (engine) => {
  const opened = openTestServer(engine);

  test('gets the signed-in user’s identity without showing a page', async () => {
    const server = await opened;
    const app = await addApplication(server);
    const { email, browser } = await register(server);
    const request = await authorizationRequest(app);
    const callback = locationOf(await follow(browser, server, request.url), server);
    expect(callback.href).toContain(redirectUri);
    expect(callback.searchParams.get('iss')).toBe(server.config.PUBLIC_URL);
    const tokens = await redeem(app, request, callback);
    const { id } = (await browser.get('/account')).body;
    expect(tokens.claims()).toMatchObject({ sub: id, acr: 'aal1', amr: ['pwd'], sid: expect.any(String) });
    expect(tokens.claims()).not.toHaveProperty('email');
    const person = await openid.fetchUserInfo(app.config, tokens.access_token, id);
    expect(person).toEqual({ sub: id, name: 'Anna Berg', locale: 'en', email, email_verified: false });
    // The browser has no cookie of the library.
    expect([...browser.cookies.keys()].filter((name) => name.startsWith('openid_session'))).toEqual([]);
  });

  test('gets RS256 and all claims in the ID token, if its operator says so', async () => {
    const server = await opened;
    const app = await addApplication(server, { id_token_signed_response_alg: 'RS256', claims_in_id_token: true });
    const { email, browser } = await register(server);
    const tokens = await signInTo(server, { app, browser });
    expect(JSON.parse(Buffer.from(String(tokens.id_token).split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      alg: 'RS256',
    });
    expect(tokens.claims()).toMatchObject({ email, name: 'Anna Berg' });
    // Apps in browsers read the keys from their own origin.
    const { headers } = await server.client().get('/.well-known/jwks.json');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });
});
