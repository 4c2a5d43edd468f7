import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { hours, minutes, seconds } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
import { chooseLanguage, fillInRegistration, holdNext, paste } from './steps.ts';
import { openTestSite, type TestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });
const lenient = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

// All visitors share one IP address, which may request five calls an hour.
beforeEach(() => {
  site.server.forward(hours(2));
  lenient.server.forward(hours(2));
});

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
async function callsTo(phone: string, { server }: TestSite = site): Promise<IncomingCall[]> {
  return (await server.calls()).filter(({ to }) => to === phone.replaceAll(' ', ''));
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

const accountOf = ({ server }: TestSite, email: string) =>
  server.store.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();

/** Opens the register page in a browser with an adjustable clock. */
async function visitWithClock(): Promise<Page> {
  const page = await site.visit('/');
  await page.clock.install();
  await page.goto(`${site.origin}/register/`);
  await page.locator('html[data-alive]').waitFor();
  return page;
}

/** Digits other than these. */
const otherThan = (digits: string) => (digits === '1234' ? '4321' : '1234');

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
    expect((await accountOf(site, email))?.phone_confirmed_at).toBeGreaterThan(0);
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
    await page.getByText('Other ways to confirm').click();
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

  test('without confirmation the form shows an error that links to the button; a ringing call clears it, says that it need not be answered, and offers another method', {
    tags: 'full',
  }, async () => {
    const page = await site.visit('/register/');
    const { phone } = await fillIn(page);
    await create(page).click();
    const summary = page.getByRole('region', { name: 'There is a problem' });
    await summary.getByRole('link', { name: 'Please confirm your phone number first' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Call me');
    await askForCall(page, phone);
    await page.getByText('You don’t need to answer: the call ends on its own.', { exact: true }).waitFor();
    await digitsField(page).waitFor();
    await page.getByText('Other ways to confirm').click();
    await page.getByRole('button', { name: 'Confirm by email' }).waitFor();
    await expect.poll(() => digitsField(page).getAttribute('aria-invalid')).toBeNull();
    await expect.poll(() => page.getByText('Please confirm your phone number first').count()).toBe(0);
    await expect.poll(() => page.title()).not.toMatch(/^Error: /);
  });

  test('a taken email is reported before the call, with both ways to continue', { tags: 'full' }, async () => {
    const { email } = await register(lenient.server);
    const page = await lenient.visit('/register/');
    const { phone } = await fillIn(page);
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Call me' }).click();
    const alert = page.getByRole('main').getByRole('alert');
    await alert.getByText('An account with this email already exists.').waitFor();
    await expect.poll(() => alert.evaluate((notice) => notice === document.activeElement)).toBe(true);
    expect(await callsTo(phone, lenient)).toEqual([]);
    await alert.getByRole('link', { name: 'set a new password' }).click();
    await page.waitForURL('**/recovery/');
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
  });

  test('a missing or invalid number is one error, without a second one for its confirmation', {
    tags: 'full',
  }, async () => {
    const page = await site.visit('/register/');
    const problems = page.getByRole('region', { name: 'There is a problem' }).getByRole('link');
    for (const phone of ['', '12']) {
      await fillIn(page);
      // Fixed errors disappear, which moves the button up.
      await expect.poll(() => problems.count()).toBe(0);
      await page.getByLabel('Phone number').fill(phone);
      await create(page).click();
      await expect.poll(() => problems.count()).toBe(1);
    }
  });

  test('from the call on, the number has one format, however it was typed', { tags: 'full' }, async () => {
    const page = await site.visit('/register/', { viewport: { width: 320, height: 700 } });
    await page.getByLabel('Phone number').fill('(202) 555-0188');
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByText('Calling +1 202 555 0188…').waitFor();
    await expect.poll(() => page.getByLabel('Phone number').inputValue()).toBe('+1 202 555 0188');
    // A narrow phone shows even the longest number whole.
    const cut = await page.getByLabel('Phone number').evaluate((input) => {
      Object.assign(input, { value: '+998 90 1234 567 8901' });
      return input.scrollWidth - input.clientWidth;
    });
    expect(cut).toBe(0);
  });

  test('Enter requests the call and sends the digits instead of the form; wrong digits show the attempts left, and a pasted number needs no key', {
    tags: 'full',
  }, async () => {
    const page = await site.visit('/register/');
    const { phone } = await fillIn(page);
    const registered: string[] = [];
    page.on('request', (request) => request.url().endsWith('/auth/register') && registered.push(request.url()));
    await page.getByLabel('Phone number').press('Enter');
    await page.getByText(`Calling ${phone}…`).waitFor();
    const call = (await callsTo(phone))[0] as IncomingCall;
    await digitsField(page).fill('12');
    await digitsField(page).press('Enter');
    await page.getByText('Enter the last 4 digits').waitFor();
    await digitsField(page).fill(otherThan(digitsOf(call)));
    await digitsField(page).press('Enter');
    await page.getByText('Those digits are incorrect. You have 2 attempts left.').waitFor();
    await expect.poll(() => digitsField(page).getAttribute('aria-invalid')).toBe('true');
    await paste(digitsField(page), call.from);
    await isConfirmed(page);
    expect(registered).toEqual([]);
  });

  test('wrong digits sent by Enter are not sent again once the pause after the last digit ends', {
    tags: 'full',
  }, async () => {
    const page = await visitWithClock();
    const { phone } = await fillIn(page);
    const call = await askForCall(page, phone);
    const compared: string[] = [];
    page.on('request', (request) => request.url().endsWith('/phone/confirm') && compared.push(request.url()));
    await page.clock.pauseAt(Date.now() + minutes(1));
    await digitsField(page).fill(otherThan(digitsOf(call)));
    await digitsField(page).press('Enter');
    await page.getByText('You have 2 attempts left.').waitFor();
    await page.clock.runFor(seconds(2));
    await digitsField(page).fill(digitsOf(call));
    await confirm(page).click();
    await isConfirmed(page);
    expect(compared).toHaveLength(2);
  });

  test('another call may be requested after a countdown of one minute', { tags: 'full' }, async () => {
    const page = await visitWithClock();
    const { phone } = await fillIn(page);
    await askForCall(page, phone);
    await page.getByText(/You can request another call in .*\d:\d\d/).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Call me again' }).count()).toBe(0);
    site.server.forward(seconds(60));
    await page.clock.fastForward(seconds(60));
    await page.getByRole('button', { name: 'Call me again' }).click();
    await expect.poll(async () => (await callsTo(phone)).length).toBe(2);
    await page.getByText(/You can request another call in .*\d:\d\d/).waitFor();
  });

  test('another number discards the confirmation', { tags: 'full' }, async () => {
    const page = await site.visit('/register/');
    const { email, phone } = await fillIn(page);
    const call = await askForCall(page, phone);
    await digitsField(page).fill(digitsOf(call));
    await isConfirmed(page);
    await page.getByRole('button', { name: 'Use another number' }).click();
    const field = page.getByLabel('Phone number');
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
    await field.fill('+49 1512 3456789');
    await create(page).click();
    await page.getByRole('link', { name: 'Please confirm your phone number first' }).waitFor();
    const other = await askForCall(page, '+49 1512 3456789');
    await digitsField(page).fill(digitsOf(other));
    await isConfirmed(page);
    await expect.poll(() => page.getByRole('region', { name: 'There is a problem' }).count()).toBe(0);
    await create(page).click();
    await page.waitForURL('**/computers/add/');
    expect((await accountOf(site, email))?.phone).toBe('+4915123456789');
  });

  describe('a number without a country code keeps its country', { tags: 'full' }, () => {
    const toGerman = async (page: Page) => {
      await chooseLanguage(page, 'Deutsch');
      await page.waitForURL('**/de/register/');
    };
    const field = (page: Page) => page.locator('[name=phone]');

    test('when the language changes while the phone rings, and the page reloads', async () => {
      const page = await site.visit('/register/');
      await fillIn(page);
      await field(page).fill('202 555 0191');
      const call = await askForCall(page, '+1 202 555 0191');
      await toGerman(page);
      await page.reload();
      await page.locator('[name=digits]').fill(digitsOf(call));
      await page.getByText('Die Telefonnummer wurde bestätigt').waitFor();
      await expect.poll(() => field(page).inputValue()).toBe('+1 202 555 0191');
      await expect.poll(() => page.locator('#phone-error').count()).toBe(0);
    });

    test('when the language changes before a call is requested', async () => {
      const page = await site.visit('/register/');
      await field(page).fill('202 555 0192');
      await toGerman(page);
      await page.getByText('US +1').waitFor();
      await expect.poll(() => field(page).inputValue()).toBe('202 555 0192');
    });

    test('when it was typed with a country code before hydration', async () => {
      const page = await site.visit('/');
      const release = await holdNext(page, '**/assets/entry-*.js');
      await page.goto(`${site.origin}/register/`, { waitUntil: 'commit' });
      await field(page).fill('+33 6 12 34 56 78');
      release();
      await page.locator('html[data-alive]').waitFor();
      await page.getByText('FR +33').waitFor();
    });
  });

  test('an optional confirmation can be skipped, even after the call has started', { tags: 'full' }, async () => {
    const page = await lenient.visit('/register/');
    const { email } = await fillIn(page);
    await page.getByText('You can also skip this step.').waitFor();
    await page.getByRole('button', { name: 'Call me' }).click();
    await digitsField(page).waitFor();
    await create(page).click();
    await page.waitForURL('**/computers/add/');
    expect((await accountOf(lenient, email))?.phone_confirmed_at).toBeNull();
  });
});
