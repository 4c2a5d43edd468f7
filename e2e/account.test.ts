import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

type Section = '' | 'security/' | 'devices/' | 'notifications/' | 'privacy/';

/** Goes to a page of the account, and waits for its content. */
async function goTo(page: Page, section: Section): Promise<void> {
  await page.goto(`${site.origin}/account/${section}`);
  await isShown(page);
}

const isShown = (page: Page) => page.getByRole('main').locator('h2, form').first().waitFor();

/** Registers someone and opens a page of their account. */
async function openAccount(section: Section = '', changes: Record<string, unknown> = {}) {
  const person = await register(site.server, changes);
  const page = await site.visit(`/account/${section}`, { session: person.browser });
  await isShown(page);
  return { ...person, page };
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Login' }).click();
}

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });

describe('the header', () => {
  test('signing out in one tab signs out the others immediately and says why, and Back shows nothing', async () => {
    const { page } = await openAccount();
    const other = await page.context().newPage();
    await other.goto(`${site.origin}/account/`);
    await other.getByLabel('Your Name').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(`${site.origin}/`);
    await other.waitForURL(`${site.origin}/`);
    await other.getByText('You’re signed out.').waitFor();
    await page.goBack();
    await page.waitForURL(`${site.origin}/`);
    await page.getByRole('button', { name: 'Login' }).waitFor();
    await expect.poll(() => page.getByLabel('Your Name').count()).toBe(0);
  });
});

declare global {
  interface Window {
    /** What moved while the page was loading. */
    shifts: string[];
  }
  interface PerformanceEntry {
    readonly sources?: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
  }
}

describe('the pages of the account', () => {
  test('forms close again with Cancel, and the focus returns to the button that opened them', async () => {
    const { page, browser } = await openAccount('security/');
    for (const name of ['Change email', 'Change password', 'Change phone number']) {
      await button(page, name).click();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
      // A change in another browser renders the page again while the form is open.
      await browser.send('PATCH', '/account', { body: { name: `Anna ${name}` } });
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await expect.poll(() => page.getByRole('banner').innerText()).toContain(`Anna ${name}`);
      await button(page, 'Cancel').click();
      await expect.poll(() => focused(page)).toBe(name);
      await expect.poll(() => button(page, 'Cancel').count()).toBe(0);
    }
    await goTo(page, 'privacy/');
    await button(page, 'Delete account').click();
    await button(page, 'Cancel').click();
    await expect.poll(() => focused(page)).toBe('Delete account');
  });
});

describe('the account', () => {
  test('changes to name, organization and INN survive a reload and persist', async () => {
    const { page, browser } = await openAccount('', { phone: '+7 912 345-67-89' });
    await page.getByLabel('Your Name').fill('Anna Quark');
    await page.getByLabel('Organization').fill('Quarkwerke');
    await page.getByLabel('INN').fill('123');
    // The page also reloads after the end of the session, or for a new build.
    await page.reload();
    await button(page, 'Save').click();
    await page.getByRole('region', { name: 'There is a problem' }).getByRole('link', { name: 'INN' }).click();
    await page.keyboard.type('7707083893');
    await page.getByLabel('INN').fill('7707083893');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    const known = { name: 'Anna Quark', organization: 'Quarkwerke', inn: '7707083893' };
    expect((await browser.get('/account')).body).toMatchObject(known);
    await page.reload();
    await expect.poll(() => page.getByLabel('Organization').inputValue()).toBe('Quarkwerke');
  });

  test('a new password needs the current one, and other sessions end', async () => {
    const { page, email } = await openAccount('security/');
    const elsewhere = site.server.client();
    await elsewhere.post('/auth/login', { email, password });
    await button(page, 'Change password').click();
    await page.getByLabel('Current password').fill('not it at all');
    await page.getByLabel('Enter new password', { exact: true }).fill('seven wet umbrellas');
    await page.getByLabel('Verify your password', { exact: true }).fill('seven wet umbrellas');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Incorrect password').waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('Your password was changed.').waitFor();
    expect((await elsewhere.post('/auth/refresh')).body).toMatchObject({ reason: 'password_changed' });
    await page.getByText('Password changed', { exact: true }).waitFor();
  });

  test('is deleted with its password, and kept after a sign-in, which the page reports once', async () => {
    const { page, email } = await openAccount('privacy/');
    await button(page, 'Delete account').click();
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${site.origin}/`);
    await signIn(page, email);
    await page.waitForURL('**/account/privacy/');
    const kept = page.getByText('You signed in, so your account won’t be deleted.');
    await kept.waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Sign-in and security' }).click();
    await page.getByText(/Account deletion canceled/).waitFor();
    await expect.poll(() => kept.count()).toBe(0);
  });
});
