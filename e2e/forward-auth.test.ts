import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { seconds } from '../src/contract/units.ts';
import { findAccountByEmail } from '../src/store/accounts/accounts.ts';
import { addToGroup } from '../src/store/applications/account-groups.ts';
import { addGuardedClient, openGuardedApp } from '../src/testing/guarded-app.ts';
import { register } from '../src/testing/people.ts';
import { signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ TRUSTED_PROXIES: '127.0.0.1', PRODUCT_URL: 'https://product.example/' });

test('a guarded application sends people to sign in and gets them back, if its groups admit them', async () => {
  const { server } = site;
  const app = await openGuardedApp({ service: server.url, client: 'wiki' });
  await addGuardedClient(server, { id: 'wiki', origins: [app.origin], groups: ['staff'] });
  const { email } = await register(server);
  const account = await findAccountByEmail(server.store, email);
  await addToGroup(server.store, { accountId: account?.id ?? '', group: 'staff', at: 0 });

  const page = await site.visit('/de/register/');
  await page.goto(`${app.origin}/pages/7?a=b`);
  await page.waitForURL(`${site.origin}/**`);
  await page.getByText('Sign in to continue to wiki').waitFor();
  await signIn(page, email);
  await page.waitForURL(`${app.origin}/pages/7?a=b`);
  await expect.poll(() => page.textContent('body')).toContain(`"x-account-id":"${account?.id}"`);

  const stranger = await register(server);
  // Not the sign-in page, which would lead a signed-in user elsewhere at the same moment.
  const other = await site.visit('/nothing/here/', { session: stranger.browser });
  await other.goto(`${app.origin}/`);
  // Its heading until it knows the application's name is “No access”.
  await other.getByRole('heading', { name: 'You don’t have access to wiki' }).waitFor();
});

describe('a sign-in page with a stored token', () => {
  /** Signs in to a guarded application, and ends the session elsewhere. Counts the documents that the tab requests. */
  async function loseSession(client: string) {
    const { server } = site;
    const app = await openGuardedApp({ service: server.url, client });
    await addGuardedClient(server, { id: client, origins: [app.origin] });
    const { email, browser } = await register(server);
    const page = await site.visit('/register/');
    await page.goto(`${app.origin}/`);
    await signIn(page, email);
    await page.waitForURL(`${app.origin}/`);
    await browser.send('DELETE', '/account/sessions', {});
    // Until then, the guard still remembers the session.
    server.forward(seconds(3));
    let documents = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) documents += 1;
    });
    return { page, email, documents: () => documents };
  }

  test('that the server has refused asks to sign in, and leads back', async () => {
    const { page, email, documents } = await loseSession('ended');
    await page.reload();
    await page.getByText('Sign in to continue to ended').waitFor();
    await page.getByText('You were signed out', { exact: false }).waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('token'))).toBeNull();
    await signIn(page, email);
    await expect.poll(() => page.textContent('body')).toContain('"uri":"/"');
    // The application, its sign-in and our page; then our entrance, its callback and the application.
    expect(documents()).toBeLessThan(10);
  });

  test('that is garbage asks to sign in', async () => {
    const { page, documents } = await loseSession('garbage');
    await page.goto(`${site.origin}/nothing/here/`);
    await page.evaluate(() => sessionStorage.setItem('token', 'garbage'));
    await page.goBack();
    await page.reload();
    await page.getByText('Sign in to continue to garbage').waitFor();
    expect(documents()).toBeLessThan(10);
  });
});

test('a product that always sends its visitors back gets them a few times; then a page says so', async () => {
  const { browser } = await register(site.server);
  let returns = 0;
  let isMended = false;
  const prepare = async (fresh: Page) => {
    // Playwright’s own questions to a page count as a touch by the user.
    await fresh.addInitScript(() =>
      Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: false } }),
    );
    await fresh.route('https://product.example/**', (route) => {
      if (isMended) return route.fulfill({ body: 'Welcome' });
      returns += 1;
      return route.fulfill({ status: 302, headers: { location: `${site.origin}/` } });
    });
  };
  const page = await site.visit('/reset-password/', { session: browser, prepare });
  await browser.put('/additionally/way', { place: 'https://product.example/' });
  await page.goto(`${site.origin}/`, { waitUntil: 'commit' });
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  expect(returns).toBe(5);
  isMended = true;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Welcome').waitFor();
});
