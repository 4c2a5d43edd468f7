import { describe, expect, test } from 'vitest';
import { addApplication, locationOf, signInTo } from '../../../testing/applications/application.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { register } from '../../../testing/people.ts';
import { openTestServer } from '../../../testing/test-server.ts';

const bye = 'https://app.example/bye';

/** `hint` is replaced with the ID token. */
type Parameters = Readonly<Record<string, string>>;

// Modules of the OpenID Foundation's plan for RP-initiated logout, by name (docs/openid.md).
describe.each(usualEngines)('the provider, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  /** A browser that is signed in to an application, and its request to sign out. */
  async function signedIn() {
    const app = await addApplication(server, { post_logout_redirect_uris: [bye] });
    const { browser } = await register(server);
    const { id_token: hint = '' } = await signInTo(server, { app, browser });
    const endSession = async (parameters: Parameters) => {
      const { id_token_hint: hinted, ...others } = parameters;
      const query = new URLSearchParams({ ...others, ...(hinted && { id_token_hint: hint }) });
      return locationOf(await browser.get(`/oidc/end-session?${query}`), server);
    };
    const isSignedIn = async () => (await browser.get('/account')).status === 200;
    return { browser, endSession, isSignedIn };
  }

  test.each<[module: string, Parameters, target: string]>([
    ['oidcc-rp-initiated-logout-no-state', { id_token_hint: 'hint', post_logout_redirect_uri: bye }, bye],
    [
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
      { id_token_hint: 'hint', state: 'x' },
      'https://door.example/sign-out/?done=1',
    ],
  ])('passes %s: the person is signed out', async (_module, parameters, target) => {
    const { endSession, isSignedIn } = await signedIn();
    expect((await endSession(parameters)).href).toBe(target);
    expect(await isSignedIn()).toBe(false);
  });

  test.each<[module: string, Parameters]>([
    ['oidcc-rp-initiated-logout-no-params', {}],
    ['oidcc-rp-initiated-logout-only-state', { state: 'x' }],
  ])('passes %s: our page asks, and leads nowhere else', async (_module, parameters) => {
    const { browser, endSession, isSignedIn } = await signedIn();
    const page = await endSession(parameters);
    expect([page.pathname, page.search]).toEqual(['/sign-out/', '']);
    expect(await isSignedIn()).toBe(true);
    expect((await browser.post('/connect/sign-out', {})).body).toEqual({ to: null });
    expect(await isSignedIn()).toBe(false);
  });

  test('passes oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', async () => {
    const { endSession, isSignedIn } = await signedIn();
    const parameters = { id_token_hint: 'hint', post_logout_redirect_uri: `${bye}?foo=bar`, state: 'x' };
    expect((await endSession(parameters)).href).toBe('https://door.example/sign-out/');
    expect(await isSignedIn()).toBe(true);
  });
});
