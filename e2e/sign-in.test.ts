import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
import { routeNext } from './route-next.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Login' }).click();
}

const storedToken = (page: Page) => page.evaluate(() => sessionStorage.getItem('token'));

describe('signing in', () => {
  test('leads to the last place, and later redirects there from pages for signed-out users', async () => {
    const { email, browser } = await register(site.server);
    await browser.put('/additionally/way', { place: '/dashboard/' });
    const page = await site.visit('/');
    await page.context().addCookies([{ name: 'XSRF-TOKEN', value: 'of-a-gateway', url: site.origin }]);
    const way = page.waitForRequest(/\/additionally\/way\?locale=en$/);
    await signIn(page, email);
    expect(await (await way).allHeaders()).toMatchObject({
      authorization: expect.stringMatching(/^Bearer \S+$/),
      'x-csrf-token': expect.stringMatching(/\S/),
      'x-xsrf-token': 'of-a-gateway',
    });
    await page.waitForURL('**/dashboard/');
    await page.getByRole('heading', { name: /Hello, .*Anna Berg/ }).waitFor();
    expect(await storedToken(page)).toMatch(/^ey/);
    await page.goto(`${site.origin}/register/`);
    await page.waitForURL('**/dashboard/');
  });

  test('a shared computer never stores the email, and ends the session after half an idle hour', async () => {
    const { email } = await register(site.server);
    // The link's email is stored until the sign-in.
    const page = await site.visit(`/?email=${email}`);
    await page.clock.install();
    await page.getByLabel('This is a shared computer').check();
    await signIn(page, email);
    await page.waitForURL('**/computers/add/');
    // Only then does the page count idle time.
    await page.getByText('expires in').waitFor();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('email'))).toBeNull();
    const cookies = await page.context().cookies();
    expect(cookies.find(({ name }) => name === 'refresh_token')?.expires).toBe(-1);
    expect(cookies.find(({ name }) => name === 'device')).toBeUndefined();
    // The page may request a new code while it signs out; the server then refuses.
    page.removeAllListeners('console');
    await page.clock.runFor(minutes(31));
    await page.waitForURL(`${site.origin}/`);
    await page.getByText('You were signed out after a long period of inactivity.').waitFor();
  });

  test('a wrong password keeps the address, clears the password and marks the title; after the right one, a server error does not keep the owner out', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    await signIn(page, email, 'wrong one');
    await page.getByText('Incorrect login or password').first().waitFor();
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await expect.poll(() => page.title()).toMatch(/^Error: /);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('password');
    page.removeAllListeners('console');
    // With the reference by which the operator finds it.
    await routeNext(page, /\/auth\/login/, (route) =>
      route.fulfill({ status: 500, headers: { 'X-Request-Id': '7K2M' } }),
    );
    await signIn(page, email);
    await page.getByText('Reference: 7K2M').waitFor();
    await routeNext(page, /\/additionally\/way\?/, (route) => route.fulfill({ status: 500 }));
    await signIn(page, email);
    await page.waitForURL('**/account/');
  });

  test('an empty form shows its errors, and removes each as it is fixed', async () => {
    const page = await site.visit('/');
    await page.getByRole('button', { name: 'Login' }).click();
    const summary = page.getByRole('region', { name: 'There is a problem' });
    await summary.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('There is a problem');
    await summary.getByRole('link', { name: 'E-mail Field cannot be empty' }).click();
    const email = page.getByLabel('Email', { exact: true });
    await expect.poll(() => email.evaluate((field) => field === document.activeElement)).toBe(true);
    await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true');
    await email.fill('anna@example.com');
    await expect.poll(() => email.getAttribute('aria-invalid')).not.toBe('true');
  });

  test('typed text survives a change of language, which keeps the page', async () => {
    const page = await site.visit('/');
    await page.getByLabel('Email', { exact: true }).fill('anna@example.com');
    await page.getByLabel('Password', { exact: true }).fill('half a passw');
    await page.getByRole('button', { name: /Language/ }).click();
    await page.getByRole('link', { name: '日本語' }).click();
    await page.waitForURL('**/ja/');
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Welcome Back' }).waitFor();
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('ja');
    await expect.poll(() => page.locator('[name=email]').inputValue()).toBe('anna@example.com');
    await expect.poll(() => page.locator('[name=password]').inputValue()).toBe('half a passw');
    const chosen = (await page.context().cookies()).find(({ name }) => name === 'i18n_redirected');
    expect(chosen?.value).toBe('ja');
    expect(Math.round(((chosen?.expires ?? 0) - Date.now() / 1000) / 86_400)).toBe(365);
    await page.goto(`${site.origin}/`);
    expect(new URL(page.url()).pathname).toBe('/ja/');
  });

  /** Opens a page that hydrates only after `release`. */
  async function openUnhydrated(path: string) {
    const page = await site.visit('/reset-password/');
    await page.clock.install();
    let release = () => undefined as unknown;
    const released = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    await page.route(/entry-.*\.js/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(site.origin + path, { waitUntil: 'commit' });
    return { page, release };
  }

  test('a form submitted before hydration says that it waits, and offers to try again after ten seconds', async () => {
    const { email } = await register(site.server);
    const { page, release } = await openUnhydrated('/');
    await signIn(page, email);
    const button = page.locator('button:not([type=button])');
    const says = () => button.evaluate((element) => getComputedStyle(element, '::after').content);
    await expect.poll(says).toBe('"Please, wait..."');
    await page.clock.runFor(seconds(10));
    await expect.poll(says).toBe('"Try again"');
    await page.clock.resume();
    release();
    await page.waitForURL('**/computers/add/');
  });
});
