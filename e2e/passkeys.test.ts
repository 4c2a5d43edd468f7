import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addAuthenticator } from '../src/testing/authenticator.ts';
import type { Client } from '../src/testing/client.ts';
import { register } from '../src/testing/people.ts';
import {
  addPasskey,
  addVirtualAuthenticator,
  buttonOf,
  createWithPrompt,
  routeNext,
  signIn,
  type VirtualAuthenticator,
} from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** A signed-in browser with one passkey of the account. */
async function equip(): Promise<{ page: Page; device: VirtualAuthenticator; email: string }> {
  const { email, browser } = await register(site.server);
  return { ...(await addPasskey(site, browser)), email };
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

  test('signs in from the suggestions of the email field, but not on a shared computer', { tags: 'full' }, async () => {
    const { page, device } = await equip();
    await device.touch(false);
    await signOut(page);
    await page.getByLabel('This is a shared computer').check();
    await device.touch(true);
    await page.getByLabel('Email', { exact: true }).focus();
    expect(new URL(page.url()).pathname).toBe('/');
    // Not `uncheck`, which looks at the box afterward: the page may be gone by then.
    await page.getByLabel('This is a shared computer').click();
    await page.waitForURL('**/account/security/');
  });

  test('disappears from the browser once the account removes it, and the focus stays nearby', {
    tags: 'full',
  }, async () => {
    const { page, device } = await equip();
    const exists = page.getByText('This device already has a passkey for your account.');
    await buttonOf(page, 'Add a passkey').click();
    await exists.waitFor();
    await page.getByRole('button', { name: /^Remove/ }).click();
    await buttonOf(page, 'Remove passkey').click();
    await page.getByText('The passkey was removed.').waitFor();
    await exists.waitFor({ state: 'detached' });
    await page.getByText('Passkey removed', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    // Browsers that support the signal delete the passkey, so that users do not pick it again.
    await expect.poll(() => device.passkeys()).toBe(0);
  });

  test('whose response was lost stays on the device, and another attempt shows it', { tags: 'full' }, async () => {
    const { browser } = await register(site.server);
    let device: VirtualAuthenticator | undefined;
    const page = await site.visit('/account/security/', {
      session: browser,
      prepare: async (fresh) => {
        device = await addVirtualAuthenticator(fresh);
      },
    });
    // The list has arrived: the next request to this address adds a passkey.
    await buttonOf(page, 'Set up').waitFor();
    page.removeAllListeners('console');
    await routeNext(page, '**/account/passkeys', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await buttonOf(page, 'Add a passkey').click();
    await page.getByText('The server can’t be reached.').waitFor();
    await buttonOf(page, 'Add a passkey').click();
    await page.getByRole('button', { name: /^Rename/ }).waitFor();
    expect(await device?.passkeys()).toBe(1);
    expect((await browser.get('/account/passkeys')).body.passkeys).toHaveLength(1);
  });

  test('can be renamed; two of them replace the password, which an email sets again', { tags: 'full' }, async () => {
    const { page, device, email } = await equip();
    await page.getByRole('button', { name: /^Rename/ }).click();
    await page.getByLabel('Passkey name').fill('Work laptop');
    await buttonOf(page, 'Save').click();
    await page.getByText('Work laptop').first().waitFor();
    await page.getByRole('status').getByText('Saved.').waitFor();
    await buttonOf(page, 'Add a passkey').click();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    // A second device of the same person.
    await addVirtualAuthenticator(page, 'usb');
    await device.recognize(false);
    await buttonOf(page, 'Add a passkey').click();
    await page.getByText('The passkey was added.').waitFor();
    await buttonOf(page, 'Remove password').click();
    await buttonOf(page, 'Remove password').click();
    await page.getByText('No password: you sign in with your passkeys.').waitFor();
    await buttonOf(page, 'Set a password').click();
    await page.getByText('We’ve sent a link to').waitFor();
    await site.server.mailTo(email, /password/i);
  });

  test('is created by itself after a sign-in with a password, once, and can be undone', { tags: 'full' }, async () => {
    const { email } = await register(site.server);
    let device: VirtualAuthenticator | undefined;
    const page = await site.visit('/', {
      async prepare(fresh) {
        device = await addVirtualAuthenticator(fresh);
        await fresh.addInitScript(createWithPrompt);
      },
    });
    const enter = async () => {
      await signIn(page, email);
      await page.waitForURL(/\/(?:computers\/add|dashboard)\//);
    };
    await enter();
    await page.getByText('You now have a passkey on this device.').waitFor();
    expect(await device?.passkeys()).toBe(1);
    await buttonOf(page, 'Undo').click();
    await page.getByText('The passkey was removed.').waitFor();
    await signOut(page);
    const read = page.waitForResponse((response) => new URL(response.url()).pathname === '/account/security');
    await enter();
    await read;
    await expect.poll(() => page.getByText('You now have a passkey on this device.').count()).toBe(0);
    expect(await device?.passkeys()).toBe(0);
  });
});

describe('a passkey as the second step', () => {
  /** A browser with a passkey of the account, which has typed the right password; no passkey has been touched yet. */
  async function begin() {
    const { page, device, email } = await equip();
    await addAuthenticator(site.server, await clientOf(page));
    await device.recognize(false);
    await signOut(page);
    await signIn(page, email);
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

  test('can be tried again after a dialog that timed out', { tags: 'full' }, async () => {
    const { page, device } = await begin();
    await device.recognize(true);
    await device.touch(false);
    await page.route('**/auth/second-step/challenge', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), timeout: 1 } });
    });
    const button = buttonOf(page, 'Use a passkey');
    await button.click();
    await page.getByText('No passkey was used.').waitFor();
    await page.unroute('**/auth/second-step/challenge');
    await device.touch(true);
    await button.click();
    await page.waitForURL('**/account/security/');
  });
});
