import { describe, expect, test } from 'vitest';
import { days } from '../src/contract/units.ts';
import { password } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

describe('registering', () => {
  test('creates an account and continues to adding computers', async () => {
    const page = await site.visit('/');
    await page.getByRole('link', { name: 'Create a free account' }).click();
    await page.waitForURL('**/register/');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await page.getByLabel('Your Name').fill('Grace Hopper');
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await page.getByLabel('Phone number').fill('+1 202 555 0147');
    await page.getByText('For an organization', { exact: true }).click();
    await page.getByLabel('Organization').fill('Navy');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Repeat password', { exact: true }).fill(password);
    await page.getByLabel('I agree to the processing of my personal data').check();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/computers/add/');
    await page.getByText('Your account is ready, Grace Hopper.').waitFor();
    const created = page.getByRole('status').filter({ hasText: 'Account successfully created' });
    await created.waitFor();
    await page.reload();
    await page.getByText('Your account is ready, Grace Hopper.').waitFor();
    await page.locator('html[data-alive]').waitFor();
    await expect.poll(() => created.count()).toBe(0);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: /Hello, .*Grace Hopper/ }).waitFor();
    const account = await site.server.store
      .selectFrom('accounts')
      .selectAll()
      .where('email', '=', 'grace@example.com')
      .executeTakeFirst();
    expect(account).toMatchObject({ phone: '+12025550147', organization: 'Navy', inn: null, locale: 'en' });
    const { text } = await site.server.mailTo('grace@example.com', /Welcome/);
    await page.goto(/http\S+hash=\S+/.exec(text)?.[0] ?? '');
    await page.getByRole('status').getByText('Your email address is confirmed.').waitFor();
    await page.goto(`${site.origin}/computers/add/`);
    await page.getByText('Your account is ready, Grace Hopper.').waitFor();
    await site.server.store
      .updateTable('accounts')
      .set({ created_at: site.server.now() - days(2) })
      .where('email', '=', 'grace@example.com')
      .execute();
    await page.reload();
    await page.getByText('Your code: ').waitFor();
    await expect.poll(() => page.getByText('Your account is ready').count()).toBe(0);
  });

  test('shows all errors together, in the summary and at each field', async () => {
    const page = await site.visit('/register/');
    await page.getByText('For an organization', { exact: true }).click();
    await page.getByText('Russian taxpayer number (INN)').click();
    await page.getByLabel('INN').fill('123');
    // The fold must open again to show its error.
    await page.getByText('For an organization', { exact: true }).click();
    await page.getByLabel('Phone number').fill('12');
    await page.getByLabel('Password', { exact: true }).fill('abc');
    await page.getByLabel('Repeat password', { exact: true }).fill('abd');
    await page.getByRole('button', { name: 'Create account' }).click();
    const summary = page.getByRole('region', { name: 'There is a problem' });
    for (const message of [
      'Your Name: Field cannot be empty',
      'E-mail Field cannot be empty',
      'Check that the phone number is correct',
      'Check that the INN is correct',
      'The password must contain at least 6 characters',
      'The passwords don’t match',
      'Please agree to the processing of your personal data to continue',
    ]) {
      await summary.getByRole('link', { name: message }).first().waitFor();
    }
    await page.locator('#inn-error').getByText('Check that the INN is correct').waitFor();
    await page.getByText('For an organization', { exact: true }).click();
    await summary.getByRole('link', { name: 'Check that the INN is correct' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('inn');
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(7);
  });

  test('typed text survives a reload, except passwords', async () => {
    const page = await site.visit('/register/');
    await page.getByLabel('Your Name').fill('Grace');
    await page.getByText('For an organization', { exact: true }).click();
    await page.getByLabel('Organization').fill('Navy');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.reload();
    await expect.poll(() => page.getByLabel('Your Name').inputValue()).toBe('Grace');
    await expect.poll(() => page.getByLabel('Organization').inputValue()).toBe('Navy');
    expect(
      await page.evaluate((word) => JSON.stringify({ ...sessionStorage, ...localStorage }).includes(word), password),
    ).toBe(false);
  });
});
