import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { addTestClient } from '../src/testing/applications/application.ts';
import { onFileEnd } from '../src/testing/file-cleanup.ts';
import { freePort } from '../src/testing/free-port.ts';
import { register } from '../src/testing/people.ts';
import { signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();
const read = (path: string): string => readFileSync(path, 'utf8');

/** The single-page application of docs/integrate.md, on an origin of its own. */
async function openExample(clientId: string, port: number): Promise<string> {
  const origin = `http://localhost:${port}`;
  const scripts: Readonly<Record<string, string>> = {
    '/oidc-client-ts.js': read('node_modules/oidc-client-ts/dist/esm/oidc-client-ts.js'),
    '/jwt-decode.js': read('node_modules/jwt-decode/build/esm/index.js'),
    '/app.js': read('examples/single-page.mjs')
      .replace('https://account.example.com', site.origin)
      .replaceAll('https://app.example.com', origin)
      .replace('CLIENT_ID', clientId),
  };
  const imports = { 'oidc-client-ts': '/oidc-client-ts.js', 'jwt-decode': '/jwt-decode.js' };
  const html = `<!doctype html><title>Notes</title><link rel="icon" href="data:,"><body>
    <script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="/app.js"></script>`;
  const server = createServer(({ url }, response) => {
    const script = scripts[url ?? ''];
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(script ?? html);
  });
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve));
  onFileEnd(() => new Promise((resolve) => server.close(resolve)));
  return origin;
}

/** What the library does a minute before the access token expires. A text, because the test runner rewrites `import`. */
const renewal = (settings: object): string => `(async () => {
  const { UserManager } = await import('/oidc-client-ts.js');
  const users = new UserManager(${JSON.stringify(settings)});
  const [former, user] = [await users.getUser(), await users.signinSilent()];
  return user.access_token === former.access_token ? 'the same token' : 'renewed';
})()`;

test('a single-page app sends its visitor to sign in and agree, renews its tokens, and signs out', async () => {
  const port = await freePort();
  const { entry } = await addTestClient(site.server, {
    client_name: '<b>Notes</b>',
    redirect_uris: [`http://localhost:${port}/signed-in.html`],
    post_logout_redirect_uris: [`http://localhost:${port}/`],
    public: true,
    first_party: false,
  });
  const origin = await openExample(entry.client_id, port);
  const { email } = await register(site.server);
  const page = await site.visit('/');
  await page.goto(`${origin}/`);
  await page.getByText('Sign in to continue to <b>Notes</b>').waitFor();
  await signIn(page, email);
  await page.getByRole('heading', { name: '<b>Notes</b> wants access to your account' }).waitFor();
  await page.getByText(`localhost:${port}`).waitFor();
  await page.getByRole('main').getByText(email, { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('Hello, Anna Berg').waitFor();
  await expect.poll(() => page.url()).toBe(`${origin}/`);
  const settings = { authority: site.origin, client_id: entry.client_id, redirect_uri: `${origin}/signed-in.html` };
  expect(await page.evaluate(renewal(settings))).toBe('renewed');
  await page.goto(`${site.origin}/account/privacy/`);
  await page.getByRole('listitem').filter({ hasText: '<b>Notes</b>' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No apps are connected to your account.').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Connected apps');
  await page.goto(`${origin}/`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  // Without a session, the application sends its visitor here again.
  await page.getByText('Sign in to continue to <b>Notes</b>').waitFor();
});
