import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import { addAuthenticator, authenticatorWith } from '../src/testing/authenticator.ts';
import type { Client } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const buttonOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id);

async function equip() {
  const { email, browser } = await register(site.server);
  return { email, browser, app: await addAuthenticator(site.server, browser) };
}

/** A new browser that has typed the right password. */
async function begin(email: string): Promise<Page> {
  const page = await site.visit('/');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await buttonOf(page, 'Login').click();
  await page.waitForURL('**/second-step/');
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  return page;
}

const signedInAt = (browser: Client) => site.visit('/account/security/', { session: browser });

describe('the second step', () => {
  test('takes the code as soon as it is typed, and survives a reload and a wrong code', async () => {
    const { email, app } = await equip();
    const page = await begin(email);
    await expect.poll(() => focusedId(page)).toBe('code');
    const wrong = String((Number(app.nextCode()) + 1) % 1_000_000).padStart(6, '0');
    await page.keyboard.type(wrong);
    await page.getByText('You have 4 attempts left.').first().waitFor();
    // Many people press Enter after the last digit: the same code is not sent again.
    await page.keyboard.press('Enter');
    await page.evaluate(() => fetch('/healthz'));
    await page.reload();
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await expect.poll(() => focusedId(page)).toBe('code');
    await page.keyboard.type(wrong);
    await page.getByText('You have 3 attempts left.').first().waitFor();
    // The choice precedes the field, whose last digit submits the form.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await expect.poll(() => page.getByLabel('Don’t ask again on this device for 30 days').isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type(app.code());
    await page.waitForURL('**/computers/add/');
    await buttonOf(page, 'Sign out').click();
    await page.getByText('You’re signed out.').waitFor();
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await buttonOf(page, 'Login').click();
    await page.waitForURL('**/computers/add/');
  });

  test('is set up with the key as text, and its recovery codes are shown once', async () => {
    const { browser } = await register(site.server);
    const page = await signedInAt(browser);
    await buttonOf(page, 'Set up').click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    const app = authenticatorWith(site.server, secret);
    await page.getByLabel('Code from the app').fill(app.code());
    await page.getByText('Save these codes now').waitFor();
    await expect.poll(() => page.locator('ol[translate=no] > li').count()).toBe(10);
    await buttonOf(page, 'I’ve saved the codes').click();
    await page.getByText('The authenticator app is now required').waitFor();
    await page.getByText('10 codes left').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    // The form to delete the account has no password field now: neither a double click nor a held Enter may send it.
    await page.goto(`${site.origin}/account/privacy/`);
    await buttonOf(page, 'Delete account').click();
    await expect.poll(() => page.locator('form button').first().textContent()).toBe('Cancel');
    await page.getByLabel('Current password').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
  });
});

describe('a sensitive request', () => {
  test('waits for the dialog, keeps the typed text when it is canceled, and is repeated after the proof', async () => {
    const { browser, app } = await equip();
    site.server.forward(minutes(16));
    const page = await signedInAt(browser);
    await page.getByText('10 codes left').waitFor();
    await buttonOf(page, 'Change email').click();
    await page.getByLabel('New email').fill('anna@new.example');
    await expect.poll(() => page.getByLabel('Current password').count()).toBe(0);
    await buttonOf(page, 'Change email').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await dialog.waitFor();
    await expect.poll(() => focusedId(page)).toBe('step_up_code');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('New email').inputValue()).toBe('anna@new.example');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Change email');
    await page.keyboard.press('Enter');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type(app.nextCode());
    await page.getByText('We’ve sent a link to the new address.').waitFor();
  });
});
