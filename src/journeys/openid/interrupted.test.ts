import { createHook } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { shutOut } from '../../access/shut-out.ts';
import { minutes } from '../../contract/units.ts';
import { deleteAccount, lockAccount } from '../../operations/accounts.ts';
import { accountParts } from '../../server/wings.ts';
import { type AccountsTable, findAccountByEmail, setLock } from '../../store/accounts/accounts.ts';
import {
  addAppAndPerson,
  addApplication,
  addTestClient,
  authorizationRequest,
  decideAs,
  follow,
  locationOf,
  openRequest,
  reach,
  redeem,
  stepOf,
} from '../../testing/applications/application.ts';
import type { Client as Browser } from '../../testing/client.ts';
import { engines, overtake, usualEngines, withPostgres } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

interface Person {
  readonly email: string;
  readonly browser: Browser;
}

const operator = { kind: 'command', actor: 'alice', origin: 'test', reason: undefined } as const;

const withAccount =
  (act: (...given: Parameters<typeof deleteAccount>) => Promise<unknown>) =>
  async ({ store, now }: TestServer, { email }: Person): Promise<void> => {
    const account = await findAccountByEmail(store, email);
    if (!account) throw new Error('no account');
    await act({ store, now: now(), operator }, account);
  };

const interruptions: [string, (server: TestServer, person: Person) => Promise<unknown>][] = [
  ['the account is deleted', withAccount(deleteAccount)],
  [
    'the account is locked',
    withAccount((operation, account) => lockAccount({ ...operation, parts: accountParts }, account)),
  ],
  ['the session ends', (_server, { browser }) => browser.post('/auth/logout')],
];

describe.each(usualEngines)('a sign-in to an application, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test.each(interruptions)('does not exchange its code for tokens once %s', async (_what, interrupt) => {
    const app = await addApplication(server);
    const person = await register(server);
    const { request, target: callback } = await openRequest(server, { app, browser: person.browser });
    expect(callback.searchParams.has('code')).toBe(true);
    await interrupt(server, person);
    await expect(redeem(app, request, callback)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test.each(interruptions)('neither asks for consent nor accepts it once %s', async (_what, interrupt) => {
    const app = await addApplication(server, { first_party: false });
    const person = await register(server);
    const { browser } = person;
    const { id } = await openRequest(server, { app, browser });
    expect(await stepOf(browser, id)).toMatchObject({ step: 'consent' });
    const cookies = new Map(browser.cookies);
    await interrupt(server, person);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.get(`/connect/requests/${id}/step`)).status).toBe(401);
    expect((await browser.post(`/connect/requests/${id}`, { allow: true })).status).toBe(401);
    const target = locationOf(await follow(browser, server, `/oidc/auth/${id}`), server);
    expect([target.origin, target.searchParams.get('code')]).toEqual([server.config.PUBLIC_URL, null]);
  });

  test('continues after a new sign-in if its session ended midway', async () => {
    const { app, browser, email } = await addAppAndPerson(server, { first_party: false });
    const { id, request } = await openRequest(server, { app, browser });
    await browser.post('/auth/logout');
    expect((await browser.post('/auth/login', { email, password })).status).toBe(200);
    expect(await stepOf(browser, id)).toMatchObject({ step: 'consent' });
    await redeem(app, request, await decideAs(server, { browser, id, allow: true }));
  });

  test.each(interruptions.slice(0, 2))('gives a device nothing once %s', async (_what, interrupt) => {
    const app = await addApplication(server, { public: true, redirect_uris: [], device: true });
    const person = await register(server);
    const device = await openid.initiateDeviceAuthorization(app.config, { scope: 'openid' });
    const allowed = await person.browser.post('/connect/device/decision', { user_code: device.user_code, allow: true });
    expect(allowed.status).toBe(204);
    await interrupt(server, person);
    await expect(openid.pollDeviceAuthorizationGrant(app.config, { ...device, interval: 0 })).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('is over an hour after it began', async () => {
    const { app, browser } = await addAppAndPerson(server, { first_party: false });
    const { id } = await openRequest(server, { app, browser });
    server.forward(minutes(61));
    await browser.post('/auth/refresh', {});
    expect((await browser.get(`/connect/requests/${id}/step`)).status).toBe(404);
    expect((await browser.post(`/connect/requests/${id}`, { allow: true })).status).toBe(404);
    const target = locationOf(await follow(browser, server, `/oidc/auth/${id}`), server);
    expect([target.pathname, target.searchParams.get('code')]).toEqual(['/connect/failed/', null]);
  });

  test('counts the consent of the account that gave it, not of another one in the same browser', async () => {
    const app = await addApplication(server);
    const [one, two] = [await register(server), await register(server)];
    const { id } = await openRequest(server, { app, browser: one.browser, parameters: { prompt: 'consent' } });
    expect((await one.browser.post(`/connect/requests/${id}`, { allow: true })).status).toBe(200);
    // The browser gets another session before it continues.
    const token = two.browser.cookies.get('__Host-refresh_token') ?? '';
    one.browser.cookies.set('__Host-refresh_token', token);
    const target = locationOf(await follow(one.browser, server, `/oidc/auth/${id}`), server);
    expect([target.pathname, target.searchParams.get('code')]).toEqual(['/connect/', null]);
  });

  test('gives one code to a browser that continues ten times at once', async () => {
    const { app, browser } = await addAppAndPerson(server, { first_party: false });
    const { id, request } = await openRequest(server, { app, browser });
    const { to } = (await browser.post(`/connect/requests/${id}`, { allow: true })).body;
    const targets = await Promise.all(
      Array.from({ length: 10 }, async () => locationOf(await browser.copy().get(to, { accept: 'text/html' }), server)),
    );
    // These responses are lost, too.
    targets.push(locationOf(await browser.copy().get(to, { accept: 'text/html' }), server));
    expect(new Set(targets.map(({ searchParams }) => searchParams.get('code'))).size).toBe(1);
    await redeem(app, request, targets[0] as URL);
    expect((await browser.post(`/connect/requests/${id}`, { allow: false })).status).toBe(404);
    server.forward(minutes(1));
    const late = locationOf(await browser.copy().get(to, { accept: 'text/html' }), server);
    expect(late.pathname).toBe('/connect/failed/');
  });

  test('stores no secret with which someone else could continue it', async () => {
    const { app, browser } = await addAppAndPerson(server, { first_party: false, device: true });
    const { id } = await openRequest(server, { app, browser });
    const device = await openid.initiateDeviceAuthorization(app.config, { scope: 'openid' });
    const rows = await server.store.selectFrom('openid_records').select('payload').execute();
    const own = rows.map(({ payload }) => payload).filter((payload) => payload.includes(app.id));
    expect(own.length).toBeGreaterThanOrEqual(2);
    const secrets = [id, device.device_code, device.user_code, device.user_code.replaceAll('-', '')];
    expect(secrets.filter((secret) => own.some((payload) => payload.includes(secret)))).toEqual([]);
  });

  test('cannot be finished in a browser that did not begin it', async () => {
    const app = await addApplication(server);
    const attacker = server.client();
    const { id } = await openRequest(server, { app, browser: attacker });
    const { browser: victim } = await register(server);
    // The victim follows a link of the attacker, and the page continues by itself.
    expect(await stepOf(victim, id)).toMatchObject({ step: 'continue' });
    const there = locationOf(await follow(victim, server, `/oidc/auth/${id}`), server);
    expect([there.pathname, there.searchParams.get('code')]).toEqual(['/connect/failed/', null]);
    // It gives the attacker nothing either.
    const back = locationOf(await follow(attacker, server, `/oidc/auth/${id}`), server);
    expect([back.pathname, back.searchParams.get('code')]).toEqual(['/connect/', null]);
  });
});

/** Sends a request, and locks its account while the request, which has read the session, waits for that. */
const overtaken = <Response>(
  { store, now }: TestServer,
  { email, send }: { readonly email: string; readonly send: () => Promise<Response> },
): Promise<Response> =>
  overtake(store, {
    async change(trx) {
      const account = (await findAccountByEmail(trx, email)) as AccountsTable;
      await setLock(trx, { accountId: account.id, at: now() });
      await shutOut(trx, { account, cause: 'locked', at: now(), parts: accountParts });
    },
    send,
  });

const grantsIn = async ({ store }: TestServer, clientId: string) =>
  (await store.selectFrom('client_grants').select('id').where('client_id', '=', clientId).execute()).length;

describe.each(engines)('a request for an application that a lock overtakes, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('grants nothing that outlives the session', async () => {
    const { app, browser, email } = await addAppAndPerson(server);
    const { url } = await authorizationRequest(app, { scope: 'openid offline_access' });
    const response = await overtaken(server, { email, send: () => follow(browser, server, url) });
    expect(locationOf(response, server).searchParams.get('code')).toBeNull();
    expect(await grantsIn(server, app.id)).toBe(0);
  });

  test('does not store a consent', async () => {
    const { app, browser, email } = await addAppAndPerson(server, { first_party: false });
    const { id } = await openRequest(server, { app, browser });
    const send = () => browser.post(`/connect/requests/${id}`, { allow: true });
    expect(await overtaken(server, { email, send })).toSay('401 not_signed_in');
    const consents = server.store.selectFrom('connected_clients').select('client_id').where('client_id', '=', app.id);
    expect(await consents.execute()).toEqual([]);
  });

  test('does not let a device in', async () => {
    const app = await addApplication(server, { redirect_uris: [], public: true, device: true });
    const begun = await reach(server)(`${server.config.PUBLIC_URL}/oidc/device`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: app.id, scope: 'openid' }),
    });
    const { user_code } = (await begun.json()) as { user_code: string };
    const { browser, email } = await register(server);
    const decision = await overtaken(server, {
      email,
      send: () => browser.post('/connect/device/decision', { user_code, allow: true }),
    });
    expect(decision).toSay('401 not_signed_in');
    expect(await grantsIn(server, app.id)).toBe(0);
  });
});

/** Counts by the name that Node gives to this work in its thread pool. */
async function countKeyPairsMadeBy(work: () => Promise<unknown>): Promise<number> {
  let made = 0;
  const hook = createHook({
    init(_id, kind) {
      if (kind === 'KEYPAIRGENREQUEST') made += 1;
    },
  }).enable();
  await work().finally(() => hook.disable());
  return made;
}

test.each(engines)('requests that are the first together make one RSA key, on %s', { tags: 'full' }, async (engine) => {
  // Each key takes a thread for long, and passwords wait for those threads.
  const server = await openTestServer(engine);
  await addTestClient(server);
  const made = await countKeyPairsMadeBy(async () => {
    const requests = Array.from({ length: 20 }, (_, at) =>
      server.client({ ip: `203.0.113.${at + 1}` }).get('/.well-known/openid-configuration'),
    );
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 200));
  });
  expect(made).toBe(1);
});

// On SQLite, each of them ends before the next begins.
test.runIf(withPostgres)('of many sign-ins to applications, at most four run at a time', { tags: 'full' }, async () => {
  const server = await openTestServer('postgres');
  const { url } = await authorizationRequest(await addApplication(server));
  const sources = Array.from({ length: 48 }, (_, at) => server.client({ ip: `203.0.113.${at + 1}` }));
  let [peak, left] = [0, sources.length];
  const statuses = sources.map(async (browser) => {
    const { status } = await browser.get(url.pathname + url.search);
    left -= 1;
    return status;
  });
  while (left > 0) {
    peak = Math.max(peak, server.openIdRequests.state().inside);
    await nextTurn();
  }
  expect(await Promise.all(statuses)).toEqual(sources.map(() => 303));
  // A fast database may have answered the first before the fourth begins.
  expect([2, 3, 4]).toContain(peak);
});
