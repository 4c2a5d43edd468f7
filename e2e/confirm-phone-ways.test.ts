import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { password } from '../src/testing/people.ts';
import { fillInRegistration } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });

let people = 0;

function fillIn(page: Page): Promise<{ email: string; phone: string }> {
  people += 1;
  const phone = `+1 202 555 ${String(300 + people).padStart(4, '0')}`;
  return fillInRegistration(page, { email: `walker${people}@example.com`, phone });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const inE164 = (phone: string) => phone.replaceAll(' ', '');

async function isRegistered(page: Page, email: string): Promise<void> {
  await page.getByText('Phone successfully confirmed').waitFor();
  await press(page, 'Create account');
  await page.waitForURL('**/computers/add/');
  const account = await site.server.store
    .selectFrom('accounts')
    .select('phone_confirmed_at')
    .where('email', '=', email)
    .executeTakeFirst();
  expect(account?.phone_confirmed_at).toBeTypeOf('number');
}

describe('someone who cannot take the call', () => {
  test('calls instead: the page shows the number, and detects the call without a reload', async () => {
    const page = await site.visit('/register/');
    const { email, phone } = await fillIn(page);
    await press(page, 'Call me');
    await press(page, 'Call us instead');
    await page.getByText(`Waiting for your call from ${phone}`).waitFor();
    const number = page.getByRole('link', { name: /\+1.202.555.0199/ });
    await expect.poll(() => number.getAttribute('href')).toBe('tel:+12025550199');
    // Code that loads later must bring its styles: without them the QR code is invisible.
    const code = page.getByRole('img', { name: /QR code/ });
    await expect.poll(() => code.evaluate((svg) => getComputedStyle(svg).fill)).toBe('rgb(0, 0, 0)');
    // The phone's own app may close the page; it continues after a reload.
    await page.reload();
    await number.waitFor();
    // A draft never keeps the passwords.
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Repeat password', { exact: true }).fill(password);
    await site.server.callFrom(inE164(phone));
    await isRegistered(page, email);
  });
});
