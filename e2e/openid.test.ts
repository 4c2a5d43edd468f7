import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hours } from '../src/contract/units.ts';
import { addTestClient } from '../src/testing/applications/application.ts';
import { addAuthenticator } from '../src/testing/authenticator.ts';
import { onFileEnd } from '../src/testing/file-cleanup.ts';
import { freePort } from '../src/testing/free-port.ts';
import { secretsIn } from '../src/testing/outbox.ts';
import { proveAddress, register } from '../src/testing/people.ts';
import { addPasskey, buttonOf, fillInRegistration, signIn, typeNewPassword } from './steps.ts';
import { openTestSite, type TestSite } from './test-site.ts';

const site = await openTestSite();
const strict = await openTestSite({ PHONE_CONFIRMATION: 'required' });

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

const library = readFileSync('node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js');

/** A single-page application with oidc-client-ts, on an origin of its own, with the fields of its client. */
async function openSinglePageApp(
  { server, origin: authority }: TestSite,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const { entry } = await addTestClient(server, {
    redirect_uris: [`${origin}/callback`],
    public: true,
    first_party: false,
    ...fields,
  });
  const settings = {
    authority,
    client_id: entry.client_id,
    redirect_uri: `${origin}/callback`,
    scope: 'openid profile',
    loadUserInfo: true,
  };
  const html = `<!doctype html><title>Notes</title><link rel="icon" href="data:,"><p id="who"></p>
    <script src="/library.js"></script><script>
      const manager = new oidc.UserManager(${JSON.stringify(settings)});
      if (location.pathname === '/callback')
        manager.signinCallback().then(({ profile }) => { who.textContent = 'Hello ' + profile.name; });
      else manager.signinRedirect({ ui_locales: new URLSearchParams(location.search).get('language') ?? 'en' });
    </script>`;
  const listener = createServer(({ url }, response) => {
    const isLibrary = url === '/library.js';
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isLibrary ? library : html);
  });
  await new Promise<void>((resolve) => listener.listen(port, 'localhost', resolve));
  onFileEnd(() => new Promise((resolve) => listener.close(resolve)));
  return origin;
}

/** Agrees, as each sign-in to a native app requires, and arrives there. */
async function arrive(page: Page, name = 'Anna Berg'): Promise<void> {
  await buttonOf(page, 'Allow').click();
  await page.getByText(`Hello ${name}`).waitFor();
}

/** Opens an application in a new browser, which leads to our sign-in page. */
async function openApp(at = strict): Promise<{ page: Page; origin: string }> {
  const origin = await openSinglePageApp(at, { client_name: 'Notes' });
  const page = await at.visit('/');
  await page.goto(`${origin}/`);
  await page.getByText('Sign in to continue to Notes').waitFor();
  // It replaces the general request.
  await expect.poll(() => page.getByText('Please sign in to continue.').count()).toBe(0);
  return { page, origin };
}

const newPassword = 'stones in the river';

const emailOf = (page: Page) => page.getByLabel('Email', { exact: true });

/** An account whose owner has proven the address; otherwise the first email would clear its name. */
async function registerProven() {
  const person = await register(site.server);
  await proveAddress(site.server, person);
  return person;
}

describe('a person whom an application sent here', () => {
  test('registers, confirms the phone, and is back in the application', async () => {
    const { page, origin } = await openApp();
    await page.getByRole('link', { name: 'Create a free account' }).click();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    // A reload changes nothing.
    await page.reload();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    const phone = '+1 202 555 0177';
    await fillInRegistration(page, { email: 'grace@example.com', phone });
    await buttonOf(page, 'Call me').click();
    await page.getByText(`Calling ${phone}…`).waitFor();
    const [call] = (await strict.server.calls()).filter(({ to }) => to === phone.replaceAll(' ', ''));
    await page.getByLabel('Last 4 digits of the calling number').fill(call?.from.slice(-4) ?? '');
    await page.getByText('Phone successfully confirmed').waitFor();
    await page.getByRole('button', { name: 'Create account' }).click();
    await arrive(page, 'Grace Hopper');
    await expect.poll(() => page.url()).toContain(`${origin}/callback`);
  });

  test('sets a new password with an emailed link, signs in, and is back in the application', {
    tags: 'full',
  }, async () => {
    const { email } = await registerProven();
    const { page, origin } = await openApp(site);
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    await emailOf(page).fill(email);
    await buttonOf(page, 'Send instructions').click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const { text } = await site.server.mailTo(email, /Set a new password/);
    // The email program opens another tab.
    const tab = await page.context().newPage();
    await tab.goto(/http\S+hash=\S+/.exec(text)?.[0] ?? '');
    await tab.getByText('You’ll then continue to Notes.').waitFor();
    await typeNewPassword(tab, newPassword);
    await buttonOf(tab, 'Save new password').click();
    await tab.getByRole('link', { name: 'Sign in' }).click();
    await tab.getByText('Sign in to continue to Notes').waitFor();
    await tab.getByLabel('Password', { exact: true }).fill(newPassword);
    await buttonOf(tab, 'Login').click();
    await arrive(tab);
    expect(tab.url()).toContain(`${origin}/callback`);
  });

  test('signs in with an emailed code, and is back in the application', { tags: 'full' }, async () => {
    const { email } = await registerProven();
    const { page } = await openApp(site);
    await emailOf(page).fill(email);
    await buttonOf(page, 'Send me a code instead').click();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    await page.getByLabel('Code from the email').fill(await secretsIn(site.server, email).signInCode());
    await arrive(page);
  });

  test('completes the second step, and is back in the application', { tags: 'full' }, async () => {
    const { email, browser } = await register(site.server);
    const authenticator = await addAuthenticator(site.server, browser);
    const { page } = await openApp(site);
    await signIn(page, email);
    await page.getByText('You’ll then continue to Notes.').waitFor();
    await page.getByLabel('Code from the app').fill(authenticator.nextCode());
    await arrive(page);
  });

  test('signs in with a passkey, and is back in the application', { tags: 'full' }, async () => {
    const { browser } = await register(site.server);
    const { page, device } = await addPasskey(site, browser);
    await device.touch(false);
    await buttonOf(page, 'Sign out').click();
    await page.getByText('You’re signed out.').waitFor();
    await page.goto(await openSinglePageApp(site, { client_name: 'Notes' }));
    await page.getByText('Sign in to continue to Notes').waitFor();
    // Ends the suggestions of the email field, which would sign in before the click.
    await page.getByLabel('This is a shared computer').check();
    await device.touch(true);
    await buttonOf(page, 'Sign in with a passkey').click();
    await arrive(page);
  });

  test('reads our pages in the language of the application', { tags: 'full' }, async () => {
    const origin = await openSinglePageApp(site, { client_name: 'Notes' });
    const page = await site.visit('/');
    await page.goto(`${origin}/?language=fr-CA`);
    await page.getByText('Connectez-vous pour continuer vers Notes').waitFor();
    await page.getByRole('link', { name: 'Créer un compte' }).click();
    await page.getByText('Vous accéderez ensuite à Notes.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/fr/register/');
  });

  test('who waited too long signs in to the account, and learns why the application does not open', {
    tags: 'full',
  }, async () => {
    const { email } = await register(site.server);
    const { page } = await openApp(site);
    site.server.forward(hours(2));
    await signIn(page, email);
    await page.getByRole('heading', { name: 'The app couldn’t sign you in' }).waitFor();
    await page.getByText('Please go back to the app and try again.').waitFor();
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await page.waitForURL('**/computers/add/');
  });

  test.each([
    [
      'markup and 300 characters',
      '<img src=x onerror="document.body.id=\'stolen\'"></bdi><h1>Vestibule</h1>'.padEnd(300, 'm'),
    ],
    ['direction overrides', '\u202Eelubitsev\u2066 \u202D\u200F'],
  ])('sees a name with %s as a plain name, on every page', { tags: 'full' }, async (_what, name) => {
    const origin = await openSinglePageApp(site, { client_name: 'Notes' });
    await site.server.store.updateTable('clients').set({ name }).where('name', '=', 'Notes').execute();
    const { email } = await register(site.server);
    const page = await site.visit('/', { viewport: { width: 320, height: 800 } });
    const isPlain = async () => {
      await page.locator('bdi').getByText(name, { exact: true }).first().waitFor();
      // Nothing from the name is an element, and it fits the narrowest screen.
      expect(
        await page.evaluate(() => [
          document.body.id,
          document.querySelectorAll('h1, img[src=x]').length,
          document.documentElement.scrollWidth > document.documentElement.clientWidth,
        ]),
      ).toEqual(['', 1, false]);
    };
    await page.goto(origin);
    await isPlain();
    for (const path of ['/register/', '/recovery/']) {
      await page.goto(site.origin + path);
      await isPlain();
    }
    await page.goto(`${site.origin}/`);
    await signIn(page, email);
    await buttonOf(page, 'Allow').waitFor();
    await isPlain();
    await arrive(page);
    await page.goto(`${site.origin}/account/privacy/`);
    await isPlain();
  });
});
