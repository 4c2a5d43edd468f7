import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Registers someone whose last place is the dashboard. */
async function registerAs(name: string) {
  const person = await register(site.server, { name });
  await person.browser.put('/additionally/way', { place: '/dashboard/' });
  return person;
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
}

/** Two tabs show the sign-in page; somebody signs in in one of them, and types another name. */
async function typeInOneTab(email: string): Promise<{ page: Page; other: Page }> {
  const page = await site.visit('/');
  const other = await page.context().newPage();
  await other.goto(`${site.origin}/`);
  await other.locator('html[data-alive]').waitFor();
  await signIn(page, email);
  await page.waitForURL('**/dashboard/');
  await page.goto(`${site.origin}/account/`);
  await page.getByLabel('Your Name').fill('Anna Neumann');
  return { page, other };
}

describe('two people who use one browser', () => {
  test('never act in each other’s account: a tab gives way when somebody else signs in in another tab', async () => {
    const [anna, bob] = [await registerAs('Anna Berg'), await registerAs('Bob Cole')];
    const { page, other } = await typeInOneTab(anna.email);
    await signIn(other, bob.email);
    await other.waitForURL('**/dashboard/');
    await page.waitForURL('**/dashboard/');
    await page.getByRole('heading', { name: 'Hello, Bob Cole' }).waitFor();
    await page.goto(`${site.origin}/account/`);
    await expect.poll(() => page.getByLabel('Your Name').inputValue()).toBe('Bob Cole');
  });
});
