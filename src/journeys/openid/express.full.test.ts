import express from 'express';
import auth from 'express-openid-connect';
import { expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { addTestClient } from '../../testing/applications/application.ts';
import { openClient } from '../../testing/client.ts';
import { onFileEnd } from '../../testing/file-cleanup.ts';
import { freePort } from '../../testing/free-port.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

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

  const { browser } = await register(server);
  const atApp = openClient(baseURL);
  const toUs = new URL((await atApp.get('/login')).headers.get('location') ?? '');
  const response = await browser.get(toUs.pathname + toUs.search);
  const back = new URL(response.headers.get('location') ?? '');
  await atApp.get(back.pathname + back.search);
  const account = (await browser.get('/account')).body.id;
  expect((await atApp.get('/who')).body).toEqual({ who: account });

  await browser.post('/auth/logout');
  const deadline = performance.now() + minutes(1);
  while ((await atApp.get('/who')).body.who !== null) {
    if (performance.now() > deadline) throw new Error('the app did not sign the person out');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
