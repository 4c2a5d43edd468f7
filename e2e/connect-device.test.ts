import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addTestClient } from '../src/testing/applications/application.ts';
import { register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();
const { entry: television } = await addTestClient(site.server, {
  client_name: 'Television',
  redirect_uris: [],
  public: true,
  device: true,
});

const buttonOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

/** The code that the television shows. */
async function show(): Promise<string> {
  const response = await fetch(`${site.origin}/oidc/device`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: television.client_id, scope: 'openid profile' }),
  });
  return ((await response.json()) as { user_code: string }).user_code;
}

/** A signed-in user who has entered a code as `typed`. */
async function enter(typed: string) {
  const { email, browser } = await register(site.server);
  const page = await site.visit('/device/', { session: browser });
  await page.getByLabel('Code on the device').fill(typed);
  await page.keyboard.press('Enter');
  return { page, email };
}

describe('a device', () => {
  test('is connected step by step: each takes the focus and the title, and names the account', async () => {
    const code = await show();
    const { page, email } = await enter(code.toLowerCase().replace('-', ' '));
    await expect.poll(() => focusedText(page)).toBe('Television wants access to your account');
    await expect.poll(() => page.title()).toBe('Television wants access to your account – Vestibule');
    await page.getByText(`shows the code ${code}.`).waitFor();
    await page.getByText(`For the account ${email}`).waitFor();
    await buttonOf(page, 'Allow').click();
    await expect.poll(() => focusedText(page)).toBe('The device is connected. Continue there.');
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    await expect.poll(() => page.title()).toBe('Connect a device – Vestibule');
  });
});

test('a sign-out for an app keeps the focus, and a reload does not ask again', async () => {
  const { browser } = await register(site.server);
  const page = await site.visit('/sign-out/', { session: browser });
  await buttonOf(page, 'Sign out').click();
  await expect.poll(() => focusedText(page)).toBe('You’re signed out.');
  await page.reload();
  await page.getByText('You’re signed out.').waitFor();
  await expect.poll(() => buttonOf(page, 'Sign out').count()).toBe(0);
});
