import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openSinglePageApp } from './single-page-app.ts';
import { fillInRegistration } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });

const buttonOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Agrees, as each sign-in to a native app requires, and arrives there. */
async function arrive(page: Page, name: string): Promise<void> {
  await buttonOf(page, 'Allow').click();
  await page.getByText(`Hello ${name}`).waitFor();
}

/** Opens an application in a new browser, which leads to our sign-in page. */
async function openApp(): Promise<{ page: Page; origin: string }> {
  const origin = await openSinglePageApp(site, { client_name: 'Notes' });
  const page = await site.visit('/');
  await page.goto(`${origin}/`);
  await page.getByText('Sign in to continue to Notes').waitFor();
  // It replaces the general request.
  await expect.poll(() => page.getByText('Please sign in to continue.').count()).toBe(0);
  return { page, origin };
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
    const [call] = (await site.server.calls()).filter(({ to }) => to === phone.replaceAll(' ', ''));
    await page.getByLabel('Last 4 digits of the calling number').fill(call?.from.slice(-4) ?? '');
    await page.getByText('Phone successfully confirmed').waitFor();
    await page.getByRole('button', { name: 'Create account' }).click();
    await arrive(page, 'Grace Hopper');
    await expect.poll(() => page.url()).toContain(`${origin}/callback`);
  });
});
