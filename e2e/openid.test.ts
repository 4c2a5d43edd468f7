import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { addTestClient } from '../src/testing/applications/application.ts';
import { onFileEnd } from '../src/testing/file-cleanup.ts';
import { freePort } from '../src/testing/free-port.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const door = await openTestSite();
const library = readFileSync('node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js');

/** A single-page application with oidc-client-ts, on an origin of its own. */
async function openSinglePageApp(clientId: string, port: number): Promise<string> {
  const origin = `http://localhost:${port}`;
  const settings = {
    authority: door.origin,
    client_id: clientId,
    redirect_uri: `${origin}/callback`,
    scope: 'openid profile',
    loadUserInfo: true,
  };
  const html = `<!doctype html><title>Notes</title><link rel="icon" href="data:,"><p id="who"></p>
    <script src="/library.js"></script><script>
      const manager = new oidc.UserManager(${JSON.stringify(settings)});
      if (location.pathname === '/callback')
        manager.signinCallback().then(({ profile }) => { who.textContent = 'Hello ' + profile.name; });
      else manager.signinRedirect();
    </script>`;
  const server = createServer(({ url }, response) => {
    const isLibrary = url === '/library.js';
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isLibrary ? library : html);
  });
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve));
  onFileEnd(() => new Promise((resolve) => server.close(resolve)));
  return origin;
}

test('a single-page app sends its visitor to sign in and agree, and greets them by name', async () => {
  const port = await freePort();
  const { entry } = await addTestClient(door.server, {
    client_name: '<b>Notes</b>',
    redirect_uris: [`http://localhost:${port}/callback`],
    public: true,
    first_party: false,
  });
  const origin = await openSinglePageApp(entry.client_id, port);
  const { email } = await register(door.server);
  const page = await door.visit('/');
  await page.goto(`${origin}/`);
  await page.getByText('Sign in to continue to <b>Notes</b>.').waitFor();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByRole('heading', { name: '<b>Notes</b> wants access to your account' }).waitFor();
  await page.getByText(`localhost:${port}`).waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('Hello Anna Berg').waitFor();
  expect(page.url()).toContain(`${origin}/callback`);
  await page.goto(`${door.origin}/account/privacy/`);
  await page.getByRole('heading', { name: '<b>Notes</b>' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No apps use your account.').waitFor();
});
