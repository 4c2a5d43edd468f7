import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { endSessions } from '../../operations/accounts.ts';
import { clientEntry } from '../../operations/clients.ts';
import { accountParts } from '../../server/wings.ts';
import { type AccountsTable, findAccount } from '../../store/accounts/accounts.ts';
import { addToGroup } from '../../store/applications/account-groups.ts';
import {
  type Application,
  addApplication,
  authorizationRequest,
  decideAs,
  follow,
  locationOf,
  openRequest,
  redeem,
  redirectUri,
  stepOf,
} from '../../testing/applications/application.ts';
import type { Client as Browser } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { kindsOf, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const notes = 'https://notes.example/';
describe.each(usualEngines)('an API, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  const openApp = async (fields: Readonly<Record<string, unknown>> = {}) =>
    addApplication(server, {
      first_party: false,
      resources: [`${notes} notes:read notes:write`, 'urn:example:mail'],
      ...fields,
    });
  /** The client of the API itself. */
  const openApi = async () => addApplication(server, { client_name: 'Notes', redirect_uris: [], apis: [notes] });

  /** Signs in with consent, and exchanges the code for a token for the API. */
  async function signIn(app: Application, browser: Browser, scope = 'openid notes:read groups') {
    const { request, id } = await openRequest(server, { app, browser, parameters: { scope, resource: notes } });
    const callback = await decideAs(server, { browser, id, allow: true });
    return openid.authorizationCodeGrant(
      app.config,
      callback,
      { pkceCodeVerifier: request.verifier, expectedState: request.state, expectedNonce: request.nonce },
      { resource: notes },
    );
  }

  test('is named when people consent, with its scopes, and in the list of their applications', async () => {
    await openApi();
    const app = await openApp();
    const { browser } = await register(server);
    const parameters = { scope: 'openid notes:read', resource: notes };
    const { id } = await openRequest(server, { app, browser, parameters });
    const apis = [{ name: 'Notes (notes.example)', scopes: ['notes:read'] }];
    expect(await stepOf(browser, id)).toMatchObject({ step: 'consent', scopes: ['openid'], apis });
    await decideAs(server, { browser, id, allow: true });
    expect((await browser.get('/account/apps')).body.apps).toMatchObject([{ id: app.id, apis }]);
    expect((await kindsOf(browser)).filter((kind) => kind === 'app_connected')).toHaveLength(1);
    await browser.send('DELETE', `/account/apps/${app.id}`, {});
    expect((await kindsOf(browser))[0]).toBe('app_disconnected');
  });

  test.each([
    ['the API', { scope: 'openid', resource: notes }],
    ['a further scope of the API', { scope: 'openid notes:write', resource: notes }],
    ['another API', { scope: 'openid', resource: 'urn:example:mail' }],
  ])('needs another consent for %s than the one that was given', async (what, parameters) => {
    const app = await openApp();
    const { browser } = await register(server);
    const first = what === 'the API' ? { scope: 'openid' } : { scope: 'openid notes:read', resource: notes };
    const { id } = await openRequest(server, { app, browser, parameters: first });
    await decideAs(server, { browser, id, allow: true });
    const next = await openRequest(server, { app, browser, parameters });
    expect(next.target.pathname).toBe('/connect/');
    const again = await authorizationRequest(app, first);
    expect(locationOf(await follow(browser, server, again.url), server).href).toMatch(`${redirectUri}?code=`);
  });

  test('never gets a token from a code that was not for it', async () => {
    const app = await openApp({ first_party: true });
    const { browser } = await register(server);
    const { request, target: callback } = await openRequest(server, { app, browser, parameters: { scope: 'openid' } });
    const tokens = await redeem(app, request, callback);
    await expect(
      openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '', { resource: notes }),
    ).rejects.toMatchObject({ error: 'invalid_target' });
  });

  test('gets tokens with its scopes and the groups that were granted, and introspects them until they end', async () => {
    const [api, app, stranger] = [await openApi(), await openApp(), await openApp()];
    const { id: accountId, browser } = await register(server);
    await addToGroup(server.store, { accountId, group: 'staff', at: server.now() });
    const { access_token: token, refresh_token: refresh = '' } = await signIn(app, browser);
    const { keys } = (await server.client().get('/.well-known/jwks.json')).body;
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys }), {
      audience: notes,
      typ: 'at+jwt',
      currentDate: new Date(server.now()),
    });
    expect(payload).toMatchObject({ sub: accountId, groups: ['staff'], client_id: app.id });
    expect(String(payload.scope).split(' ')).toEqual(expect.arrayContaining(['notes:read', 'groups']));
    expect(String(payload.scope)).not.toContain('notes:write');
    const ask = ({ config }: Application, what = token) => openid.tokenIntrospection(config, what);
    const active = { active: true, sub: accountId, scope: payload.scope, aud: notes, groups: ['staff'] };
    for (const by of [api, app]) expect(await ask(by)).toMatchObject(active);
    const forged = `${token.slice(0, -8)}AAAAAAAA`;
    const own = (await browser.post('/auth/refresh', {})).body.access_token;
    for (const unknown of ['x', 'x.y.z', `${token.split('.')[0]}.e30.`, forged, own, refresh])
      expect([unknown, await ask(api, unknown)]).toEqual([unknown, { active: false }]);
    expect(await ask(stranger)).toEqual({ active: false });
    const narrowed = await openid.refreshTokenGrant(app.config, refresh, { resource: notes, scope: 'openid' });
    expect(decodeJwt(narrowed.access_token)).not.toHaveProperty('groups');
    const account = (await findAccount(server.store, accountId)) as AccountsTable;
    const operator = { kind: 'command', actor: 'alice', origin: 'test', reason: undefined } as const;
    await endSessions({ store: server.store, parts: accountParts, now: server.now(), operator }, account);
    for (const by of [api, app]) expect(await ask(by)).toEqual({ active: false });
  });

  test('introspects the tokens of services until the client is no longer one', async () => {
    const api = await openApi();
    const fields = { redirect_uris: [], service: true, resources: [`${notes} notes:read`] };
    const service = await addApplication(server, fields);
    const granted = await openid.clientCredentialsGrant(service.config, { resource: notes, scope: 'notes:read' });
    const ask = () => openid.tokenIntrospection(api.config, granted.access_token);
    expect(await ask()).toMatchObject({ active: true, sub: service.id, scope: 'notes:read' });
    await server.store.updateTable('clients').set({ service: 0 }).where('id', '=', service.id).execute();
    expect(await ask()).toEqual({ active: false });
  });

  test.each([
    ['nothing gives', 'openid notes:reed', {}, 'requested scope is unknown'],
    ['nothing gives, with an API', 'openid x', { resource: notes }, 'requested scope is unknown'],
    ['the API gives, without it', 'openid notes:read', {}, `the scope notes:read needs the resource ${notes}`],
  ])('a scope that %s is refused by name', async (_what, scope, parameters: Record<string, string>, description) => {
    const app = await openApp({ service: true, device: true });
    const { browser } = await register(server);
    const { url } = await authorizationRequest(app, { scope, ...parameters });
    const { searchParams } = locationOf(await follow(browser, server, url), server);
    expect([searchParams.get('error'), searchParams.get('error_description')]).toEqual(['invalid_scope', description]);
    expect(searchParams.get('scope')).toBe(scope.split(' ').at(-1));
    for (const request of [
      () => openid.clientCredentialsGrant(app.config, { scope, ...parameters }),
      () => openid.initiateDeviceAuthorization(app.config, { scope, ...parameters }),
    ])
      await expect(request()).rejects.toMatchObject({ error: 'invalid_scope', error_description: description });
  });

  test('is named for a device, which gets a token for it', async () => {
    const app = await openApp({ redirect_uris: [], public: true, device: true });
    const { browser } = await register(server);
    const parameters = { scope: 'openid notes:read', resource: notes };
    const begun = await openid.initiateDeviceAuthorization(app.config, parameters);
    const { body } = await browser.post('/connect/device', { user_code: begun.user_code });
    expect(body.apis).toMatchObject([{ scopes: ['notes:read'] }]);
    await browser.post('/connect/device/decision', { user_code: begun.user_code, allow: true });
    const polled = { ...begun, interval: 0 };
    const { access_token: token } = await openid.pollDeviceAuthorizationGrant(app.config, polled, { resource: notes });
    expect(decodeJwt(token)).toMatchObject({ aud: notes, scope: 'notes:read openid' });
  });
});

test.each([
  [{ resources: ['notes'] }, 'resources: "notes" is not a URL without a fragment'],
  [{ resources: [`${notes} groups`] }, 'resources: "groups" is not a name for a scope of an API'],
  [{ resources: [notes, `${notes} x`] }, 'resources: must name each API once, with all its scopes'],
  [{ apis: ['x'] }, 'apis: "x" is not a URL without a fragment'],
  [{ apis: [notes], public: true }, 'apis: needs a secret, which a public client cannot have'],
])('a client with %j is refused', (fields, problem) => {
  const valid = { client_id: 'x', client_name: 'X', redirect_uris: [redirectUri] };
  const { error } = clientEntry.safeParse({ ...valid, ...fields });
  expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([problem]);
});
