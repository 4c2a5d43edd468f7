import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { hours } from '../src/contract/units.ts';
import { password } from '../src/testing/people.ts';
import { fillInRegistration } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });

// All visitors share one IP address, which may request five calls an hour.
beforeEach(() => site.server.forward(hours(2)));

let people = 0;

/** Fills in the register form, except for the confirmation of the phone. */
function fillIn(page: Page): Promise<{ email: string; phone: string }> {
  people += 1;
  const phone = `+1 202 555 ${String(100 + people).padStart(4, '0')}`;
  return fillInRegistration(page, { email: `caller${people}@example.com`, phone });
}

interface IncomingCall {
  readonly to: string;
  /** The calling number. */
  readonly from: string;
}

/** The calls to a number, newest first. */
async function callsTo(phone: string): Promise<IncomingCall[]> {
  return (await site.server.calls()).filter(({ to }) => to === phone.replaceAll(' ', ''));
}

async function askForCall(page: Page, phone: string): Promise<IncomingCall> {
  await page.getByRole('button', { name: 'Call me' }).click();
  await page.getByText(`Calling ${phone}…`).waitFor();
  return (await callsTo(phone))[0] as IncomingCall;
}

const digitsOf = ({ from }: IncomingCall) => from.slice(-4);
const digitsField = (page: Page) => page.getByLabel('Last 4 digits of the calling number');
const confirm = (page: Page) => page.getByRole('button', { name: 'Confirm', exact: true });
const isConfirmed = (page: Page) => page.getByText('Phone successfully confirmed').waitFor();
const create = (page: Page) => page.getByRole('button', { name: 'Create account' });

const accountOf = (email: string) =>
  site.server.store.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();

describe('confirming the phone while registering', () => {
  test('the last digits of the calling number confirm it, and the account shows it as confirmed', async () => {
    const page = await site.visit('/register/');
    const { email, phone } = await fillIn(page);
    const call = await askForCall(page, phone);
    await expect.poll(() => digitsField(page).evaluate((field) => field === document.activeElement)).toBe(true);
    // The last digit sends them.
    await digitsField(page).fill(digitsOf(call));
    await isConfirmed(page);
    await expect.poll(() => page.getByLabel('Phone number').getAttribute('readonly')).not.toBeNull();
    await create(page).click();
    await page.waitForURL('**/computers/add/');
    expect((await accountOf(email))?.phone_confirmed_at).toBeGreaterThan(0);
    await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage))).not.toContain('draft.phone-call');
  });

  test('a reload while waiting returns to the same call, and after the digits to the confirmation', async () => {
    const page = await site.visit('/register/');
    const { phone } = await fillIn(page);
    const call = await askForCall(page, phone);
    await page.reload();
    await page.getByText(`Calling ${phone}…`).waitFor();
    expect(await callsTo(phone)).toHaveLength(1);
    await digitsField(page).fill(digitsOf(call));
    await isConfirmed(page);
    await page.reload();
    await isConfirmed(page);
    await expect.poll(() => page.getByLabel('Phone number').inputValue()).toBe(phone);
  });

  test('an emailed link replaces a call, and the form continues without a reload', async () => {
    const page = await site.visit('/register/');
    await page.getByLabel('Phone number').fill('+1 202 555 0199');
    await page.getByRole('button', { name: 'Confirm by email' }).click();
    await page.locator('#email-error').waitFor();
    const { email } = await fillIn(page);
    await page.getByRole('button', { name: 'Confirm by email' }).click();
    await page.getByText(`We’ve sent a link to ${email}.`).waitFor();
    const link = /http\S+hash=\S+/.exec((await site.server.mailTo(email)).text)?.[0] ?? '';
    const other = await site.visit(link.replace(site.origin, ''));
    await expect.poll(() => other.url()).toBe(`${site.origin}/confirm-mail/`);
    await confirm(other).click();
    await other.getByRole('heading', { name: 'Confirmed' }).waitFor();
    await page.getByText('Registration confirmed by email').waitFor();
    await expect.poll(() => page.getByText('Phone successfully confirmed').count()).toBe(0);
    await page.reload();
    await page.getByText('Registration confirmed by email').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Repeat password', { exact: true }).fill(password);
    await create(page).click();
    await page.waitForURL('**/computers/add/');
    await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage))).not.toContain('draft.phone-call');

    const late = await site.visit(link.replace(site.origin, ''));
    await confirm(late).click();
    await late.getByRole('heading', { name: 'Link expired' }).waitFor();
    await late.getByText('This link is no longer valid.').waitFor();
    await late.getByRole('link', { name: 'Request a new link' }).waitFor();
    await expect.poll(() => confirm(late).count()).toBe(0);
  });
});
