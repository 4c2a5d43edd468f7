import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { hours } from '../src/contract/units.ts';
import { password } from '../src/testing/people.ts';
import { fillInRegistration, paste } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });

let people = 0;

function fillIn(page: Page): Promise<{ email: string; phone: string }> {
  people += 1;
  const phone = `+1 202 555 ${String(300 + people).padStart(4, '0')}`;
  return fillInRegistration(page, { email: `walker${people}@example.com`, phone });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** Opens the fold with the other ways besides a call. */
async function unfold(page: Page): Promise<void> {
  await page.getByLabel('Last 4 digits').waitFor();
  await page.getByText('Other ways to confirm', { exact: true }).click();
}

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

const byMessage = await openTestSite({ PHONE_CONFIRMATION: 'required', CONFIRMATION_WAYS: 'sms,ring' });

// All visitors share one IP address and so one rate limit.
beforeEach(() => {
  site.server.forward(hours(2));
  byMessage.server.forward(hours(2));
});

describe('someone who cannot take the call', () => {
  test('calls instead: the page shows the number, and detects the call without a reload', async () => {
    const page = await site.visit('/register/');
    const { email, phone } = await fillIn(page);
    await press(page, 'Call me');
    await unfold(page);
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

  test.each([
    ['Get a text message', 'Digits from the text message'],
    ['Get the digits on WhatsApp', 'Digits from WhatsApp'],
    ['Get the digits on Telegram', 'Digits from Telegram'],
  ])('chooses “%s” and types the digits', { tags: 'full' }, async (button, label) => {
    const page = await site.visit('/register/');
    const { email, phone } = await fillIn(page);
    await press(page, 'Call me');
    await unfold(page);
    await press(page, button);
    await page.getByLabel(label).waitFor();
    const [newest] = (await site.server.calls()).filter(({ to, way }) => to === inE164(phone) && way !== 'ring');
    await page.getByLabel(label).fill(/\d{6}/.exec(newest?.spoken ?? '')?.[0] ?? '');
    // Complete digits are sent by themselves.
    await isRegistered(page, email);
  });

  test('pastes the whole message: the digits remain, the field keeps its width, the success is visible', {
    tags: 'full',
  }, async () => {
    const page = await site.visit('/register/');
    const { phone } = await fillIn(page);
    await press(page, 'Call me');
    await unfold(page);
    await press(page, 'Get a text message');
    const field = page.getByLabel('Digits from the text message');
    await field.waitFor();
    const [newest] = (await site.server.calls()).filter(({ to, way }) => to === inE164(phone) && way === 'sms');
    const width = async () => (await field.boundingBox())?.width ?? 0;
    await paste(
      field,
      'A message without any digits, which is much longer than the field that it goes into, and goes on',
    );
    await expect.poll(() => field.inputValue()).toContain('without any digits');
    await expect.poll(width).toBeLessThan(240);
    // Complete digits are sent by themselves, and then the field is gone.
    const sent = page.waitForRequest('**/auth/phone/confirm');
    await paste(field, newest?.spoken ?? '');
    expect((await sent).postDataJSON()).toMatchObject({ digits: expect.stringMatching(/^\d{6}$/) });
    const success = page.getByText('Phone successfully confirmed');
    await success.waitFor();
    const box = await success.boundingBox();
    expect([(box?.width ?? 0) > 100, (box?.height ?? 0) > 10]).toEqual([true, true]);
  });
});

test('the operator’s first method is beside the number, and the page offers only their methods', {
  tags: 'full',
}, async () => {
  const page = await byMessage.visit('/register/');
  await page.getByRole('button', { name: 'Get a text message' }).waitFor();
  await page.getByRole('button', { name: 'Call me' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /Telegram|WhatsApp|instead|in a call/ }).count()).toBe(0);
  await fillIn(page);
  await press(page, 'Create account');
  await page.getByText('Please confirm your phone number first').first().waitFor();
});
