import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { register } from '../src/testing/people.ts';
import { signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Registers someone whose last place is the dashboard. */
async function registerAs(name: string) {
  const person = await register(site.server, { name });
  await person.browser.put('/additionally/way', { place: '/dashboard/' });
  return person;
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

  test('keep their tabs and typed text if the same person signs in again in another tab', {
    tags: 'full',
  }, async () => {
    const anna = await registerAs('Anna Berg');
    const { page, other } = await typeInOneTab(anna.email);
    const read = page.waitForResponse((response) => response.url().endsWith('/account') && response.ok());
    await signIn(other, anna.email);
    await other.waitForURL('**/account/');
    await read;
    await page.getByRole('main').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await expect.poll(() => other.getByLabel('Your Name').inputValue()).toBe('Anna Neumann');
  });

  test.each([
    ['the other', 'Bob Cole', '/dashboard/'],
    ['the same', undefined, '/devices/?search=secret'],
  ])(
    'after a sign-out in another tab, %s person arrives at their own place',
    { tags: 'full' },
    async (_who, name, place) => {
      const anna = await registerAs('Anna Berg');
      const next = name ? await registerAs(name) : anna;
      const page = await site.visit('/devices/?search=secret', { session: anna.browser });
      await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
      await page.getByText('Anna Berg').first().waitFor({ state: 'attached' });
      const other = await page.context().newPage();
      await other.goto(`${site.origin}/account/`);
      await other.getByLabel('Your Name').waitFor();
      await other.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.waitForURL(`${site.origin}/`);
      await signIn(page, next.email);
      await page.waitForURL(`${site.origin}${place}`);
    },
  );
});
