import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { secretsIn } from '../src/testing/outbox.ts';
import { password, register } from '../src/testing/people.ts';
import { holdNext, routeNext } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const waits = (page: Page) => page.getByRole('button', { name: 'Please, wait...' }).first().waitFor();

const different = (digits: string) => digits.replace(/./, (first) => String((Number(first) + 1) % 10));

/** Opens the sign-in page, whose form waits for its code until `release`. */
async function visitWithoutCode() {
  let held: (() => void) | undefined;
  const prepare = async (page: Page) => {
    held = await holdNext(page, '**/assets/requests-*');
  };
  const page = await site.visit('/', { prepare });
  return { page, release: () => held?.() };
}

describe('what is corrected and sent while the server checks something wrong follows by itself', () => {
  test('a password', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    const release = await holdNext(page, '**/auth/login');
    await field(page, 'Email').fill(email);
    await field(page, 'Password').fill('wrong one');
    await page.keyboard.press('Enter');
    await waits(page);
    await field(page, 'Password').fill(password);
    await page.keyboard.press('Enter');
    release();
    await page.waitForURL('**/computers/add/');
  });

  test('a code from an email', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    await field(page, 'Email').fill(email);
    await page.getByRole('button', { name: 'Send me a code instead' }).click();
    const code = await secretsIn(site.server, email).signInCode();
    const release = await holdNext(page, '**/auth/code/login');
    await field(page, 'Code from the email').fill(different(code));
    await waits(page);
    await field(page, 'Code from the email').fill(code);
    release();
    await page.waitForURL('**/computers/add/');
  });

  test('the digits of a calling number', async () => {
    const page = await site.visit('/register/');
    await field(page, 'Phone number').fill('+1 202 555 0123');
    await page.getByRole('button', { name: 'Call me' }).click();
    const digits = field(page, 'Last 4 digits of the calling number');
    await digits.waitFor();
    const [{ from = '' } = {}] = await site.server.calls();
    const right = from.slice(-4);
    const release = await holdNext(page, '**/auth/phone/confirm');
    await digits.fill(different(right));
    await digits.press('Enter');
    await waits(page);
    await digits.fill(right);
    await digits.press('Enter');
    release();
    await page.getByText('Phone successfully confirmed').first().waitFor();
  });
});

test('a form that is corrected and submitted again while its code loads is sent with the corrected values', async () => {
  const { email } = await register(site.server);
  const { page, release } = await visitWithoutCode();
  await field(page, 'Email').fill(email);
  await page.keyboard.press('Enter');
  await waits(page);
  await field(page, 'Password').fill(password);
  await page.keyboard.press('Enter');
  release();
  await page.waitForURL('**/computers/add/');
});

test('a field that is filled in while the form’s code loads has no error afterward', async () => {
  const { page, release } = await visitWithoutCode();
  await field(page, 'Email').focus();
  await page.keyboard.press('Enter');
  await waits(page);
  await field(page, 'Email').fill('anna@example.com');
  release();
  await page.getByRole('link', { name: 'Password Field cannot be empty' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'E-mail Field cannot be empty' }).count()).toBe(0);
});

test('a tap that leaves a field shows its suggestion', async () => {
  const page = await site.visit('/register/', { hasTouch: true, isMobile: true });
  await field(page, 'Email').tap();
  await page.keyboard.insertText('anna@gmial.com');
  await field(page, 'Password').tap();
  await page.getByRole('button', { name: 'anna@gmail.com' }).waitFor();
});

describe('an error that arrives late leaves the focus where the user types', () => {
  test('in another field, for a request that failed', async () => {
    const { browser } = await register(site.server);
    const page = await site.visit('/account/', { session: browser });
    await field(page, 'Your Name').fill('Anna Bergman');
    const release = await holdNext(page, '**/account', (route) => route.fulfill({ status: 503 }));
    const saving = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.keyboard.press('Enter');
    await saving;
    const organization = page.getByLabel('Organization');
    await organization.focus();
    await page.keyboard.type('Berg');
    release();
    await page.getByRole('alert').waitFor();
    await page.keyboard.type(' Ltd');
    await expect.poll(() => organization.inputValue()).toBe('Berg Ltd');
  });

  test.each([
    { of: 'a request that failed', path: '/recovery/', request: '**/auth/recovery', refused: 503 },
    { of: 'a wrong password', path: '/', request: '**/auth/login' },
  ])('in the email field, for $of', async ({ path, request, refused }) => {
    const page = await site.visit(path);
    await field(page, 'Email').fill('anna@exampel.com');
    if (!refused) await field(page, 'Password').fill(password);
    const release = await holdNext(page, request, refused ? (route) => route.fulfill({ status: refused }) : undefined);
    await page.keyboard.press('Enter');
    await waits(page);
    await field(page, 'Email').fill('');
    await page.keyboard.type('anna@');
    release();
    await page.getByRole('alert').waitFor();
    await page.keyboard.type('example.com');
    await expect.poll(() => field(page, 'Email').inputValue()).toBe('anna@example.com');
  });

  test('in another field, for an incomplete form whose code loads', async () => {
    const { page, release } = await visitWithoutCode();
    await field(page, 'Email').focus();
    await page.keyboard.press('Enter');
    await waits(page);
    await field(page, 'Email').fill('anna');
    await field(page, 'Password').focus();
    await page.keyboard.type('rain ');
    release();
    await page.getByRole('region', { name: 'There is a problem' }).waitFor();
    await page.keyboard.type('fall');
    await expect.poll(() => field(page, 'Password').inputValue()).toBe('rain fall');
  });

  test('in a code that is typed anew while the wrong one is checked', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    await field(page, 'Email').fill(email);
    await page.getByRole('button', { name: 'Send me a code instead' }).click();
    const code = await secretsIn(site.server, email).signInCode();
    const release = await holdNext(page, '**/auth/code/login');
    await field(page, 'Code from the email').fill(different(code));
    await waits(page);
    await field(page, 'Code from the email').fill('');
    await page.keyboard.type(code.slice(0, 3));
    release();
    await page.getByRole('alert').waitFor();
    await page.keyboard.type(code.slice(3));
    await page.waitForURL('**/computers/add/');
  });

  test('in another field, for a refused call', async () => {
    const page = await site.visit('/register/');
    await field(page, 'Phone number').fill('+1 202 555 0126');
    const json = { type: 'urn:vestibule:phone_invalid', code: 'phone_invalid' };
    const release = await holdNext(page, '**/auth/phone/call', (route) => route.fulfill({ status: 422, json }));
    const asked = page.waitForRequest('**/auth/phone/call');
    await page.getByRole('button', { name: 'Call me' }).click();
    await asked;
    await field(page, 'Password').focus();
    await page.keyboard.type('seven times');
    release();
    await page.getByText('Check that the phone number is correct').first().waitFor();
    await page.keyboard.type(' 42');
    await expect.poll(() => field(page, 'Password').inputValue()).toBe('seven times 42');
  });
});

describe('a call that starts late leaves the user where they are', () => {
  /** Requests a call whose response waits for `release`. */
  async function requestCall(phone: string) {
    const page = await site.visit('/register/');
    await field(page, 'Phone number').fill(phone);
    const release = await holdNext(page, '**/auth/phone/call');
    const asked = page.waitForRequest('**/auth/phone/call');
    await page.getByRole('button', { name: 'Call me' }).click();
    await asked;
    return { page, release };
  }
  const digits = (page: Page) => field(page, 'Last 4 digits of the calling number');

  test('in the next field', async () => {
    const { page, release } = await requestCall('+1 202 555 0124');
    await field(page, 'Password').focus();
    await page.keyboard.type('seven times');
    release();
    await digits(page).waitFor();
    await page.keyboard.type(' 42');
    await expect.poll(() => field(page, 'Password').inputValue()).toBe('seven times 42');
    await expect.poll(() => digits(page).inputValue()).toBe('');
  });

  test('in the menu of languages', async () => {
    const { page, release } = await requestCall('+1 202 555 0125');
    await page.getByRole('button', { name: /Language/ }).click();
    release();
    await digits(page).waitFor();
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.waitForURL('**/de/register/');
    await page.locator('[name=digits]').waitFor();
  });
});

test('a deletion is reported although another request learns first that the session has ended', async () => {
  const { browser } = await register(site.server);
  const page = await site.visit('/account/privacy/', { session: browser });
  await page.getByRole('button', { name: 'Delete account' }).click();
  await routeNext(page, '**/account', async (route) => {
    const response = await route.fetch();
    const refused = page.waitForResponse('**/auth/refresh');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await (await refused).finished();
    await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
    await route.fulfill({ response });
  });
  await page.getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
  await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
});

describe('the second click of a double click, after the response to the first one, does not', () => {
  /** Clicks twice in one place; between the clicks, waits for what the first one does. */
  async function clickTwice(page: Page, target: Locator, done: () => Promise<void>) {
    await target.scrollIntoViewIfNeeded();
    await target.hover();
    for (const clickCount of [1, 2]) {
      await page.mouse.down({ clickCount });
      await page.mouse.up({ clickCount });
      await done();
    }
  }

  test('sign out the device that moved into its place', async () => {
    const { email, browser } = await register(site.server);
    for (let count = 0; count < 3; count += 1) await site.server.client().post('/auth/login', { email, password });
    const page = await site.visit('/account/sessions/', { session: browser });
    const ends = page.getByRole('button', { name: /^Sign out (?!on all)/ });
    await expect.poll(() => ends.count()).toBe(3);
    await clickTwice(page, ends.first(), () => expect.poll(() => ends.count()).toBe(2));
    await page.reload();
    await expect.poll(() => ends.count()).toBe(2);
  });
});

describe('a click on a line of a list counts while the request of another line is pending', () => {
  test('on devices to sign out', async () => {
    const { email, browser } = await register(site.server);
    const others = [site.server.client(), site.server.client()];
    for (const other of others) await other.post('/auth/login', { email, password });
    const page = await site.visit('/account/sessions/', { session: browser });
    const ends = page.getByRole('button', { name: /^Sign out (?!on all)/ });
    await expect.poll(() => ends.count()).toBe(2);
    const release = await holdNext(page, '**/account/sessions/*');
    await ends.nth(0).click();
    await ends.nth(1).click();
    release();
    await expect.poll(() => ends.count()).toBe(0);
    for (const other of others) expect((await other.post('/auth/refresh')).status).toBe(401);
  });
});
