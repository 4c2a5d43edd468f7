import * as openid from 'openid-client';
import { expect, test } from 'vitest';
import {
  type Application,
  addApplication,
  authorizationRequest,
  follow,
  locationOf,
  redirectUri,
} from '../../testing/applications/application.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const server = await openTestServer('sqlite');

/** The parameters of a request of an application that knows OAuth but not OpenID. */
async function requestOf(app: Application, scope: string | undefined): Promise<URL> {
  const { url } = await authorizationRequest(app);
  url.searchParams.delete('nonce');
  if (scope === undefined) url.searchParams.delete('scope');
  else url.searchParams.set('scope', scope);
  return url;
}

const pushed = async ({ url }: TestServer, { id, secret }: Application, parameters: URLSearchParams) => {
  const headers = { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
  const response = await fetch(`${url}/oidc/par`, { method: 'POST', body: parameters, headers });
  return (await response.json()) as { error?: string };
};

test.each<[words: string, scope: string | undefined]>([
  ['no scope', undefined],
  ['an empty scope', ''],
  ['only spaces', ' '],
  ['an unknown scope', 'everything'],
  ['offline access alone, which needs a consent', 'offline_access'],
])('a request with %s is refused as invalid, and connects nothing', async (_words, scope) => {
  for (const first_party of [true, false]) {
    const app = await addApplication(server, { first_party });
    const { browser } = await register(server);
    const url = await requestOf(app, scope);
    // The error reaches the application before anyone signs in.
    for (const person of [browser, server.client()]) {
      const callback = locationOf(await follow(person, server, url), server);
      expect(callback.href).toContain(redirectUri);
      expect(callback.searchParams.get('error')).toBe('invalid_scope');
      expect(callback.searchParams.get('state')).toBe(url.searchParams.get('state'));
    }
    expect(await pushed(server, app, url.searchParams)).toMatchObject({ error: 'invalid_scope' });
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
  const app = await addApplication(server);
  const { browser } = await register(server);
  const { url } = await authorizationRequest(app, { id_token_hint: '', max_age: '', acr_values: '', prompt: '' });
  const callback = locationOf(await follow(browser, server, url), server);
  expect(callback.searchParams.get('code')).toEqual(expect.any(String));
  const empty = 'client_id=&id_token_hint=&post_logout_redirect_uri=&state=';
  const page = locationOf(await browser.get(`/oidc/end-session?${empty}`), server);
  expect([page.pathname, page.search]).toEqual(['/sign-out/', '']);
});
