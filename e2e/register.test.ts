import { describe, expect, test } from 'vitest';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const documents = { PRIVACY_URL: 'https://example.com/privacy/3', TERMS_URL: 'https://example.com/terms/7' };

const linked = await openTestSite(documents);

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
    const created = page.getByRole('status').filter({ hasText: 'Account successfully created' });
    await created.waitFor();
    await page.reload();
    await page.getByText('Your code: ').waitFor();
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

  test('links the documents beside the consents, in the footer and in emails, and stores their addresses', {
    tags: 'full',
  }, async () => {
    const page = await linked.visit('/register/');
    const form = page.locator('form');
    for (const [place, privacy, terms] of [
      [form, 'Privacy policy', 'terms of use'],
      [page.locator('footer'), 'Privacy policy', 'Terms of use'],
    ] as const) {
      await expect
        .poll(() => place.getByRole('link', { name: privacy }).getAttribute('href'))
        .toBe(documents.PRIVACY_URL);
      await expect.poll(() => place.getByRole('link', { name: terms }).getAttribute('href')).toBe(documents.TERMS_URL);
    }
    await expect.poll(() => form.getByRole('link', { name: 'Privacy policy' }).getAttribute('target')).toBe('_blank');
    const { email, browser } = await register(linked.server);
    expect((await browser.get('/account')).body.consents).toMatchObject([
      { kind: 'personal_data', given: true, document: documents.PRIVACY_URL },
      { kind: 'terms', given: true, document: documents.TERMS_URL },
      { kind: 'offers', given: false, document: null },
    ]);
    const mail = await linked.server.mailTo(email);
    expect(mail.text).toContain(`Privacy policy: ${documents.PRIVACY_URL}\nTerms of use: ${documents.TERMS_URL}`);
    expect(mail.html).toContain(`href="${documents.TERMS_URL}"`);
  });

  test('a focused field’s label stays in view', { tags: 'full' }, async () => {
    const page = await site.visit('/register/', { viewport: { width: 390, height: 420 } });
    await page.getByRole('button', { name: 'Create account' }).click();
    const problems = page.getByRole('region', { name: 'There is a problem' }).getByRole('link');
    for (const problem of await problems.all()) {
      await problem.click();
      const above = await page.evaluate(() => {
        const field = document.activeElement as HTMLInputElement;
        return [...(field.labels ?? [])].map((label) => label.getBoundingClientRect().top);
      });
      for (const top of above) expect(top).toBeGreaterThanOrEqual(0);
    }
  });

  test('gives every button a unique name', { tags: 'full' }, async () => {
    const page = await site.visit('/register/');
    const buttons = await page.getByRole('button').all();
    const names = await Promise.all(
      buttons.map(async (button) => (await button.getAttribute('aria-label')) ?? (await button.innerText())),
    );
    expect(names).toEqual([...new Set(names)]);
  });

  test.each(['+966 5', '+1 868', '+7 912'])(
    'at 320 px in Arabic the calling code of %s stays on one line',
    { tags: 'full' },
    async (typed) => {
      const page = await site.visit('/ar/register/', { viewport: { width: 320, height: 700 } });
      await page.locator('[name=phone]').fill(typed);
      const code = typed.split(' ', 1)[0] as string;
      const shown = page.locator('span', { hasText: code }).last();
      await shown.waitFor();
      const { lines, height } = await shown.evaluate((element) => ({
        lines: element.getBoundingClientRect().height,
        height: Number.parseFloat(getComputedStyle(element).lineHeight),
      }));
      expect(lines).toBeLessThan(height * 1.5);
    },
  );

  test('passwords that differ are reported on leaving the field, and the click that leaves it still hits', {
    tags: 'full',
  }, async () => {
    const page = await site.visit('/register/');
    await page.getByLabel('Password', { exact: true }).fill('rain under tin roofs');
    const repeated = page.getByLabel('Repeat password', { exact: true });
    await repeated.fill('rain under tin');
    // Below the new error, which moves it.
    const offers = page.getByLabel('I would like to receive discounts');
    await offers.click();
    await page.getByText('The passwords don’t match').waitFor();
    expect(await offers.isChecked()).toBe(true);
    expect(await page.getByRole('alert').count()).toBe(0);
    await repeated.fill('rain under tin roofs');
    await expect.poll(() => page.getByText('The passwords don’t match').count()).toBe(0);
  });

  test('password managers store the address as the username', { tags: 'full' }, async () => {
    const page = await site.visit('/register/');
    await expect.poll(() => page.getByLabel('Email', { exact: true }).getAttribute('autocomplete')).toBe('username');
  });

  test('a pasted number with + switches the country', { tags: 'full' }, async () => {
    const page = await site.visit('/de/register/');
    await page.locator('[name=phone]').fill('+33 6 12 34 56 78');
    await page.getByText('FR +33').waitFor();
  });

  test('a double submit registers once', { tags: 'full' }, async () => {
    const page = await site.visit('/register/');
    const calls: string[] = [];
    page.on('request', (request) => request.url().endsWith('/auth/register') && calls.push(request.url()));
    await page.getByLabel('Your Name').fill('Ada');
    await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
    await page.getByLabel('Phone number').fill('+12025550147');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Repeat password', { exact: true }).fill(password);
    await page.getByLabel('I agree to the processing of my personal data').check();
    await page.getByRole('button', { name: 'Create account' }).dblclick();
    await page.waitForURL('**/computers/add/');
    expect(calls).toHaveLength(1);
  });
});
