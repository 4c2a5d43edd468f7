import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import type { WithParts } from '../../access/account-part.ts';
import { days, seconds } from '../../contract/units.ts';
import { deleteAccount, endSessions, lockAccount } from '../../operations/accounts.ts';
import type { Operation } from '../../operations/operation.ts';
import { accountParts } from '../../server/wings.ts';
import { type AccountsTable, findAccount } from '../../store/accounts/accounts.ts';
import { addLogoutNotices } from '../../store/applications/logout-notices.ts';
import {
  type Application,
  addAppAndPerson,
  addApplication,
  basic,
  decideAs,
  locationOf,
  openRequest,
  reach,
  redeem,
  signInTo,
} from '../../testing/applications/application.ts';
import type { Client as Browser } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { onFileEnd } from '../../testing/file-cleanup.ts';
import { addGuardedClient, guardCookie, guardStatus } from '../../testing/guarded-app.ts';
import { secretsIn } from '../../testing/outbox.ts';
import { password, signedIn } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** Receives back-channel logouts, and refuses the first ones. */
async function openListener({ refuses = 0 } = {}) {
  const tokens: string[] = [];
  let refused = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      refused += 1;
      if (refused > refuses) tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
      response.writeHead(refused > refuses ? 200 : 503).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onFileEnd(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const arrived = async (): Promise<string> => {
    await expect.poll(() => tokens.length).toBeGreaterThan(0);
    return tokens[0] ?? '';
  };
  return { url: `http://127.0.0.1:${port}/logout`, tokens, arrived };
}

const isAlive = async ({ config }: Application, token: string | undefined): Promise<boolean> =>
  openid.refreshTokenGrant(config, token ?? '').then(
    () => true,
    () => false,
  );

const isCurrent = ({ current }: { current: boolean }) => current;

/** Runs an operation of the command line on the account of a browser. */
const byOperator =
  (act: (operation: Operation & WithParts, account: AccountsTable) => Promise<unknown>) =>
  async ({ store, now }: TestServer, browser: Browser) => {
    const account = await findAccount(store, (await browser.get('/account')).body.id);
    const operator = { kind: 'command', actor: 'alice', origin: 'test', reason: undefined } as const;
    if (!account) throw new Error('no account');
    return act({ store, parts: accountParts, now: now(), operator }, account);
  };

describe.each(usualEngines)('a sign-in to an application, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  const ends: [string, (server: TestServer, browser: Browser, email: string) => Promise<unknown>][] = [
    ['a sign-out', (_server, browser) => browser.post('/auth/logout')],
    [
      'the end of the session from another browser',
      async (server, browser, email) => {
        const { id } = (await browser.get('/account/sessions')).body.sessions.find(isCurrent);
        const other = await signedIn(server, email);
        return other.send('DELETE', `/account/sessions/${id}`, {});
      },
    ],
    [
      'the end of all other sessions',
      async (server, _browser, email) => {
        const other = await signedIn(server, email);
        return other.send('DELETE', '/account/sessions', {});
      },
    ],
    [
      'a new password from an emailed link',
      async (server, _browser, email) => {
        await server.client().post('/auth/recovery', { email, locale: 'en' });
        const hash = await secretsIn(server, email).resetLink();
        const fresh = 'wind over high corn';
        return server.client().post('/auth/reset-password', { email, hash, password: fresh, password_repeat: fresh });
      },
    ],
    [
      'the copy of a refresh token',
      async (server, browser) => {
        const thief = browser.copy();
        for (const after of [20, 20]) {
          server.forward(seconds(after));
          await browser.post('/auth/refresh', {});
        }
        return thief.post('/auth/refresh', {});
      },
    ],
    ['a deletion by an operator', byOperator(deleteAccount)],
    ['an operator who ends all sessions', byOperator(endSessions)],
    [
      'a new password in another browser',
      async (server, _browser, email) => {
        const other = await signedIn(server, email);
        const fresh = 'wind over high corn';
        return other.post('/account/password', { current_password: password, password: fresh, password_repeat: fresh });
      },
    ],
    [
      'a request to delete the account',
      (_server, browser) => browser.send('DELETE', '/account', { body: { password } }),
    ],
    ['a lock by an operator', byOperator(lockAccount)],
  ];

  /** The refresh token of a device that this browser lets in. */
  async function letDeviceIn(server: TestServer, browser: Browser) {
    const app = await addApplication(server, { redirect_uris: [], public: true, device: true });
    const begun = await openid.initiateDeviceAuthorization(app.config, { scope: 'openid' });
    await browser.post('/connect/device/decision', { user_code: begun.user_code, allow: true });
    const { refresh_token: token } = await openid.pollDeviceAuthorizationGrant(app.config, { ...begun, interval: 0 });
    return { app, token };
  }

  test.each(ends)('ends everywhere with %s, and the application is notified', async (name, end) => {
    const otherNode = await server.otherNode();
    const listener = await openListener();
    const { app, browser, email } = await addAppAndPerson(server, { backchannel_logout_uri: listener.url });
    const tokens = await signInTo(server, { app, browser });
    const claims = tokens.claims();
    const device = await letDeviceIn(server, browser);
    const guarded = { client: randomUUID(), origin: 'https://wiki.example' };
    await addGuardedClient(server, { id: guarded.client, origins: [guarded.origin] });
    const cookie = await guardCookie(server, browser, guarded);
    const guard = () => Promise.all([server, otherNode].map((node) => guardStatus(node, { ...guarded, cookie })));
    expect(await guard()).toEqual([204, 204]);
    await end(server, browser, email);
    const { keys } = (await server.client().get('/.well-known/jwks.json')).body;
    const { payload, protectedHeader } = await jwtVerify(await listener.arrived(), createLocalJWKSet({ keys }), {
      issuer: server.config.PUBLIC_URL,
      audience: app.id,
      currentDate: new Date(server.now()),
    });
    expect(protectedHeader.typ).toBe('logout+jwt');
    expect(payload).toMatchObject({
      sub: claims?.sub,
      sid: claims?.sid,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(payload).not.toHaveProperty('nonce');
    for (const token of [tokens.access_token, tokens.refresh_token ?? ''])
      expect(await openid.tokenIntrospection(app.config, token)).toEqual({ active: false });
    expect(await isAlive(app, tokens.refresh_token)).toBe(false);
    expect((await server.client().get('/oidc/me', { authorization: `Bearer ${tokens.access_token}` })).status).toBe(
      401,
    );
    // A device does not depend on the browser that let it in, unless the session ended for a reason.
    expect(await isAlive(device.app, device.token)).toBe(name === 'a sign-out');
    // The guard remembers its decisions for three seconds.
    server.forward(seconds(4));
    expect(await guard()).toEqual([401, 401]);
    await otherNode.close();
  });

  test('is reported again if the application did not respond', async () => {
    const listener = await openListener({ refuses: 1 });
    const { app, browser } = await addAppAndPerson(server, { backchannel_logout_uri: listener.url });
    await signInTo(server, { app, browser });
    await browser.post('/auth/logout');
    const notice = server.store.selectFrom('logout_notices').selectAll().where('client_id', '=', app.id);
    await expect.poll(async () => (await notice.executeTakeFirst())?.attempts).toBe(1);
    server.forward(seconds(40));
    await listener.arrived();
    expect(listener.tokens).toHaveLength(1);
  });

  /** A notice to an application whose first attempt failed. */
  const addWaiting = async ({ store }: TestServer, app: Application, times: { created_at: number; due_at: number }) => {
    const id = randomUUID();
    const notice = { id, client_id: app.id, subject: 'x', sid: 'x', created_at: times.created_at };
    await addLogoutNotices(store, [notice]);
    await store.updateTable('logout_notices').set({ due_at: times.due_at, attempts: 1 }).where('id', '=', id).execute();
    return id;
  };

  test.each([
    ['by a day', days(1), days(1)],
    ['by a year, between two attempts', 0, days(365)],
  ])('is reported although the clock was set back %s, while the service was down', async (_by, created, due) => {
    const listener = await openListener();
    const app = await addApplication(server, { backchannel_logout_uri: listener.url });
    await addWaiting(server, app, { created_at: server.now() + created, due_at: server.now() + due });
    const started = await server.otherNode();
    await listener.arrived();
    await started.close();
  });

  test('is reported although another application does not respond', async () => {
    const arrived: string[] = [];
    const silent = createServer(() => arrived.push('silent'));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onFileEnd(() => {
      silent.closeAllConnections();
      return new Promise((resolve) => silent.close(resolve));
    });
    const { port } = silent.address() as AddressInfo;
    const stuck = await addApplication(server, { backchannel_logout_uri: `http://127.0.0.1:${port}/` });
    const waiting = Array.from({ length: 50 }, (_, at) => ({ id: `${stuck.id}-${at}`, created_at: at }));
    await addLogoutNotices(
      server.store,
      waiting.map((notice) => ({ ...notice, client_id: stuck.id, subject: 'x', sid: 'x' })),
    );
    const listener = await openListener();
    const { app, browser } = await addAppAndPerson(server, { backchannel_logout_uri: listener.url });
    await signInTo(server, { app, browser });
    await browser.post('/auth/logout');
    await listener.arrived();
    expect(arrived.length).toBeLessThanOrEqual(20);
    await server.store.deleteFrom('logout_notices').where('client_id', '=', stuck.id).execute();
  });

  test('with offline_access outlives a sign-out, but not a new password', async () => {
    const listener = await openListener();
    const { app, browser, email } = await addAppAndPerson(server, { backchannel_logout_uri: listener.url });
    const parameters = { scope: 'openid offline_access', prompt: 'consent' };
    const { request, id } = await openRequest(server, { app, browser, parameters });
    const tokens = await redeem(app, request, await decideAs(server, { browser, id, allow: true }));
    await browser.post('/auth/logout');
    expect(decodeJwt(await listener.arrived()).sid).toBe(tokens.claims()?.sid);
    const refreshed = await openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '');
    expect(refreshed.refresh_token).toBeTruthy();
    const other = await signedIn(server, email);
    const fresh = 'wind over high corn';
    await other.post('/account/password', { current_password: password, password: fresh, password_repeat: fresh });
    expect(await isAlive(app, refreshed.refresh_token)).toBe(false);
  });

  test('ends on request of the application, which gets its user back', async () => {
    const { app, browser } = await addAppAndPerson(server, { post_logout_redirect_uris: ['https://app.example/bye'] });
    const { id_token: hint = '' } = await signInTo(server, { app, browser });
    const url = openid.buildEndSessionUrl(app.config, {
      id_token_hint: hint,
      post_logout_redirect_uri: 'https://app.example/bye',
      state: 's&t',
    });
    const response = await browser.get(String(url).replace(server.config.PUBLIC_URL, ''));
    expect(locationOf(response, server).href).toBe('https://app.example/bye?state=s%26t');
    expect((await browser.get('/account')).status).toBe(401);
  });

  test('ends at once although its application revoked its tokens first', async () => {
    const { app, browser } = await addAppAndPerson(server, { post_logout_redirect_uris: ['https://app.example/bye'] });
    const { id_token: hint = '', refresh_token: token = '' } = await signInTo(server, { app, browser });
    const revoked = await reach(server)(`${server.config.PUBLIC_URL}/oidc/revocation`, {
      method: 'POST',
      headers: basic(app),
      body: new URLSearchParams({ token }),
    });
    expect([revoked.status, revoked.headers.get('content-type'), await revoked.text()]).toEqual([200, null, '']);
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: 'https://app.example/bye' });
    expect(locationOf(await browser.get(`/oidc/end-session?${query}`), server).href).toBe('https://app.example/bye');
    expect((await browser.get('/account')).status).toBe(401);
  });

  test('ends with a form of the application, with which browsers send no cookies', async () => {
    const { app, browser } = await addAppAndPerson(server, { post_logout_redirect_uris: ['https://app.example/bye'] });
    const { id_token: hint = '' } = await signInTo(server, { app, browser });
    const form = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: 'https://app.example/bye' });
    const posted = await reach(server)(`${server.config.PUBLIC_URL}/oidc/end-session`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    });
    expect(posted.status).toBe(303);
    const response = await browser.get(posted.headers.get('location') ?? '');
    expect(locationOf(response, server).href).toBe('https://app.example/bye');
    expect((await browser.get('/account')).status).toBe(401);
  });

  test.each(['image', 'iframe'])('is not said to have ended in an %s of another site', async (dest) => {
    const app = await addApplication(server, { post_logout_redirect_uris: ['https://app.example/bye'] });
    const query = `client_id=${app.id}&post_logout_redirect_uri=https://app.example/bye`;
    const response = await server.client().get(`/oidc/end-session?${query}`, { 'sec-fetch-dest': dest });
    const page = locationOf(response, server);
    expect([page.pathname, page.searchParams.has('done')]).toEqual(['/sign-out/', false]);
  });

  test.each([
    ['an ID token of someone else', 'id_token_hint=e30.e30.e30'],
    ['an unknown client', 'client_id=nobody&post_logout_redirect_uri=https://app.example/bye'],
    ['another address to return to', (id: string) => `client_id=${id}&post_logout_redirect_uri=https://evil.example/`],
  ])('can be ended by the person although the request has %s', async (_what, query) => {
    const { app, browser } = await addAppAndPerson(server);
    const path = `/oidc/end-session?${typeof query === 'string' ? query : query(app.id)}`;
    expect(locationOf(await browser.get(path), server).href).toBe('https://door.example/sign-out/');
    expect(locationOf(await server.client().get(path), server).href).toBe('https://door.example/sign-out/?done=1');
  });

  test('ends on our page without a hint, after the person agreed', async () => {
    const { app, browser } = await addAppAndPerson(server, { post_logout_redirect_uris: ['https://app.example/bye'] });
    await signInTo(server, { app, browser });
    const query = `client_id=${app.id}&post_logout_redirect_uri=https://app.example/bye&state=x`;
    const page = locationOf(await browser.get(`/oidc/end-session?${query}`), server);
    expect(page.pathname).toBe('/sign-out/');
    expect((await browser.get('/account')).status).toBe(200);
    const { body } = await browser.post('/connect/sign-out', Object.fromEntries(page.searchParams));
    expect(body).toEqual({ to: 'https://app.example/bye?state=x' });
    expect((await browser.get('/account')).status).toBe(401);
    const open = { ...Object.fromEntries(page.searchParams), post_logout_redirect_uri: 'https://evil.example/' };
    expect((await browser.post('/connect/sign-out', open)).body).toEqual({ to: null });
  });
});
