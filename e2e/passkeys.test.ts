import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addAuthenticator } from '../src/testing/authenticator.ts';
import type { Client } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts';

const site = await openTestSite();

const buttonOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A signed-in browser with one passkey of the account. */
async function equip(): Promise<{ page: Page; device: VirtualAuthenticator; email: string }> {
  const { email, browser } = await register(site.server);
  let device: VirtualAuthenticator | undefined;
  const page = await site.visit('/account/security/', {
    session: browser,
    async prepare(fresh) {
      device = await addVirtualAuthenticator(fresh);
    },
  });
  await buttonOf(page, 'Add a passkey').click();
  await page.getByText('The passkey was added.').waitFor();
  return { page, device: device as VirtualAuthenticator, email };
}

/** A client of the page’s session, with a recent sign-in. */
async function clientOf(page: Page): Promise<Client> {
  const client = site.server.client();
  for (const { name, value } of await page.context().cookies()) client.cookies.set(name, value);
  await client.post('/auth/refresh');
  return client;
}

async function signOut(page: Page): Promise<void> {
  await buttonOf(page, 'Sign out').click();
  await page.getByText('You’re signed out.').waitFor();
}

describe('a passkey', () => {
  test('signs in with one tap, and a canceled dialog changes nothing', async () => {
    const { page, device } = await equip();
    expect(await device.passkeys()).toBe(1);
    await page.getByText('Not used yet').waitFor();
    await device.recognize(false);
    await signOut(page);
    // Ends the suggestions of the email field, which would sign in as soon as the authenticator recognizes the user.
    await page.getByLabel('This is a shared computer').check();
    const button = buttonOf(page, 'Sign in with a passkey');
    await button.click();
    await expect.poll(() => button.getAttribute('aria-busy')).toBe(null);
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await device.recognize(true);
    await button.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account/security/');
    await page
      .getByText(/Last used: /)
      .first()
      .waitFor();
  });
});

describe('a passkey as the second step', () => {
  /** A browser with a passkey of the account, which has typed the right password; no passkey has been touched yet. */
  async function begin() {
    const { page, device, email } = await equip();
    await addAuthenticator(site.server, await clientOf(page));
    await device.recognize(false);
    await signOut(page);
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await buttonOf(page, 'Login').click();
    await page.waitForURL('**/second-step/');
    await expect.poll(() => page.getByLabel('Email', { exact: true }).count()).toBe(0);
    return { page, device, email };
  }

  test('completes the sign-in; a canceled dialog explains itself and changes nothing', async () => {
    const { page, device } = await begin();
    const button = buttonOf(page, 'Use a passkey');
    await button.click();
    await page.getByText('No passkey was used.').waitFor();
    await expect.poll(() => page.getByLabel('Code from the app').count()).toBe(1);
    await device.recognize(true);
    await button.click();
    await page.waitForURL('**/account/security/');
  });
});
