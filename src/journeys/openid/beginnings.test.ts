import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { addApplication, authorizationRequest, redirectUri } from '../../testing/applications/application.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('what applications begin, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('is not limited for an office behind one address while there is room', async () => {
    const app = await addApplication(server);
    const path = String((await authorizationRequest(app)).url).replace(server.config.PUBLIC_URL, '');
    const statuses = new Set<number>();
    for (let at = 0; at < 310; at += 1) statuses.add((await server.client().get(path)).status);
    expect([...statuses]).toEqual([303]);
    const parameters = { redirect_uri: redirectUri, scope: 'openid', response_type: 'code', state: 'x' };
    const challenge = await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier());
    for (let at = 0; at < 310; at += 1)
      await openid.buildAuthorizationUrlWithPAR(app.config, {
        ...parameters,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
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
