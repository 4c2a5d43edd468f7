import { spawn } from 'node:child_process';
import express from 'express';
import auth from 'express-openid-connect';
import * as openid from 'openid-client';
import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { addClient, clientEntry } from '../../operations/clients.ts';
import {
  addTestClient,
  decideAs,
  follow,
  locationOf,
  openRequest,
  redirectUri,
} from '../../testing/applications/application.ts';
import { type Client, openClient } from '../../testing/client.ts';
import { onFileEnd } from '../../testing/file-cleanup.ts';
import { freePort } from '../../testing/free-port.ts';
import { eventually } from '../../testing/outbox.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** Starts an example of docs/integrate.md, and waits until it responds. */
async function startExample(name: string, settings: Record<string, string>): Promise<string> {
  const { PATH } = process.env;
  const app = spawn(process.execPath, [`examples/${name}`], {
    env: { PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void app.kill());
  const url = `http://localhost:${settings.PORT}`;
  await eventually(async () => expect((await fetch(url, { redirect: 'manual' })).status).toBeLessThan(500));
  return url;
}

/** Starts an example for the command line. `said` waits until its output matches, and returns the groups. */
function startCommand(name: string, settings: Record<string, string>) {
  const { PATH } = process.env;
  const command = spawn(process.execPath, [`examples/${name}`], { env: { PATH, ...settings } });
  onTestFinished(() => void command.kill());
  let output = '';
  for (const stream of [command.stdout, command.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text;
    });
  }
  const said = async (pattern: RegExp): Promise<readonly string[]> => {
    await eventually(() => expect(output).toMatch(pattern));
    return pattern.exec(output)?.slice(1) ?? [];
  };
  return { said };
}

/** The service at the address that people use, because the example runs in its own process. */
async function openAtOwnAddress() {
  const port = String(await freePort());
  return openTestServer('sqlite', { PORT: port, PUBLIC_URL: `http://localhost:${port}` });
}

/** Adds the client `example`, and returns its secret. */
async function addExample({ store, now }: TestServer, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const entry = clientEntry.parse({ client_id: 'example', client_name: 'Example', first_party: true, ...fields });
  const operator = { kind: 'command', actor: 'alice', origin: 'test', reason: undefined } as const;
  return (await addClient({ store, now: now(), operator }, entry)) ?? '';
}

test('the Express application knows who is signed in, until the session ends elsewhere', async () => {
  const server = await openAtOwnAddress();
  const PORT = String(await freePort());
  const origin = `http://localhost:${PORT}`;
  const secret = await addExample(server, {
    redirect_uris: [`${origin}/signed-in`],
    post_logout_redirect_uris: [`${origin}/`],
    backchannel_logout_uri: `${origin}/backchannel-logout`,
  });
  const app = openClient(
    await startExample('express.mjs', {
      PORT,
      ISSUER: server.config.PUBLIC_URL,
      CLIENT_ID: 'example',
      CLIENT_SECRET: secret,
    }),
  );

  await app.get('/sign-in');
  const refused = await app.get('/signed-in?error=access_denied&state=x');
  expect([refused.status, refused.body]).toEqual([400, `The sign-in failed. Try again: ${origin}/\n`]);
  const { id, email, browser } = await register(server);
  const home = await visit(app, { origin, browser, issuer: server.config.PUBLIC_URL });
  expect(home).toBe(`Hello, Anna Berg (${id})\n`);
  expect(email).toContain('@');
  await browser.post('/auth/logout');
  await eventually(async () => expect((await app.get('/')).headers.get('location')).toBe('/sign-in'));
});

/** Opens the application, and follows redirects between it and the service. */
async function visit(app: Client, { origin, browser, issuer }: { origin: string; browser: Client; issuer: string }) {
  let next = `${origin}/`;
  for (let hop = 0; hop < 12; hop += 1) {
    const isApp = next.startsWith(origin);
    const response = await (isApp ? app : browser).get(next.replace(isApp ? origin : issuer, ''), {
      accept: 'text/html',
    });
    const location = response.headers.get('location');
    if (location === null) return response.body;
    next = new URL(location, next).href;
  }
  throw new Error('the redirects do not end');
}

test('the command line learns who is signed in, through a port of its own', async () => {
  const server = await openAtOwnAddress();
  await addExample(server, { public: true, redirect_uris: ['http://127.0.0.1/callback'] });
  const { said } = startCommand('command-line.mjs', { ISSUER: server.config.PUBLIC_URL, CLIENT_ID: 'example' });
  const { browser } = await register(server);
  const [address = ''] = await said(/^Open (\S+)$/m);
  const asked = locationOf(await follow(browser, server, address), server);
  const id = asked.searchParams.get('request') ?? '';
  const callback = await decideAs(server, { browser, id, allow: true });
  expect(await (await fetch(callback)).text()).toBe('You can close this window.');
  expect(await said(/^Hello, Anna Berg \((.+)\)$/m)).toEqual([(await browser.get('/account')).body.id]);
});

test('the device learns who entered its code', async () => {
  const server = await openAtOwnAddress();
  await addExample(server, { public: true, redirect_uris: [], device: true });
  const { said } = startCommand('device.mjs', { ISSUER: server.config.PUBLIC_URL, CLIENT_ID: 'example' });
  const { browser } = await register(server);
  const [page, code] = await said(/^Open (\S+) and enter (\S+)$/m);
  expect(page).toBe(`${server.config.PUBLIC_URL}/device/`);
  await browser.post('/connect/device/decision', { user_code: code, allow: true });
  expect(await said(/^Hello, Anna Berg \((.+)\)$/m)).toEqual([(await browser.get('/account')).body.id]);
});

test('the API verifies access tokens with the public keys, and refuses any other token', async () => {
  const server = await openAtOwnAddress();
  const [PORT, AUDIENCE] = [String(await freePort()), 'https://api.example.com'];
  await addExample(server, { public: true, redirect_uris: [redirectUri], resources: [AUDIENCE] });
  const id = 'example';
  const options = { execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(new URL(server.config.PUBLIC_URL), id, undefined, openid.None(), options);
  const application = { id, secret: undefined, config };
  const { browser } = await register(server);
  const { request, target: callback } = await openRequest(server, {
    app: application,
    browser,
    parameters: { resource: AUDIENCE },
  });
  const checks = { pkceCodeVerifier: request.verifier, expectedState: request.state, expectedNonce: request.nonce };
  const tokens = await openid.authorizationCodeGrant(config, callback, checks, { resource: AUDIENCE });
  const api = await startExample('api.mjs', { PORT, AUDIENCE, ISSUER: server.config.PUBLIC_URL });
  const ask = (token: string | undefined) => fetch(api, { headers: { authorization: `Bearer ${token}` } });
  const served = await ask(tokens.access_token);
  expect([served.status, await served.json()]).toEqual([
    200,
    { account: (await browser.get('/account')).body.id, scope: expect.any(String) },
  ]);
  const [head, , signature] = tokens.access_token.split('.');
  const forged = Buffer.from(JSON.stringify({ sub: 'admin', aud: AUDIENCE })).toString('base64url');
  for (const token of [undefined, tokens.id_token, browser.token, `${head}.${forged}.${signature}`])
    expect((await ask(token)).status).toBe(401);
});

/** Sessions in memory, as Express stores them. */
function openSessions() {
  const known = new Map<string, unknown>();
  return {
    get: (id: string, done: (error: unknown, session?: never) => void) => done(null, known.get(id) as never),
    set: (id: string, session: unknown, done?: (error?: unknown) => void) => {
      known.set(id, session);
      done?.();
    },
    destroy: (id: string, done?: (error?: unknown) => void) => {
      known.delete(id);
      done?.();
    },
  };
}

test('an Express app with express-openid-connect signs people in, and out when they sign out here', async () => {
  const [ours, theirs] = [await freePort(), await freePort()];
  const baseURL = `http://localhost:${theirs}`;
  const server = await openTestServer('sqlite', { PORT: String(ours), PUBLIC_URL: `http://127.0.0.1:${ours}` });
  const { entry, secret } = await addTestClient(server, {
    redirect_uris: [`${baseURL}/callback`],
    backchannel_logout_uri: `${baseURL}/backchannel-logout`,
    id_token_signed_response_alg: 'RS256',
  });
  const app = express();
  app.use(
    auth.auth({
      issuerBaseURL: server.config.PUBLIC_URL,
      baseURL,
      clientID: entry.client_id,
      clientSecret: secret ?? '',
      secret: 'a secret of the app that signs its cookies',
      authRequired: false,
      authorizationParams: { response_type: 'code', scope: 'openid profile email' },
      session: { store: openSessions() as never },
      backchannelLogout: { store: openSessions() as never },
    }),
  );
  app.get('/who', (request, response) => void response.json({ who: request.oidc.user?.sub ?? null }));
  const listening = app.listen(theirs, 'localhost');
  onFileEnd(() => new Promise((resolve) => listening.close(resolve)));

  const { id: account, browser } = await register(server);
  const atApp = openClient(baseURL);
  const toUs = new URL((await atApp.get('/login')).headers.get('location') ?? '');
  const response = await browser.get(toUs.pathname + toUs.search);
  const back = new URL(response.headers.get('location') ?? '');
  await atApp.get(back.pathname + back.search);
  expect((await atApp.get('/who')).body).toEqual({ who: account });

  await browser.post('/auth/logout');
  const deadline = performance.now() + minutes(1);
  while ((await atApp.get('/who')).body.who !== null) {
    if (performance.now() > deadline) throw new Error('the app did not sign the person out');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
