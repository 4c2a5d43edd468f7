import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { seconds } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
import { addVirtualAuthenticator, chooseLanguage, routeNext, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

/** Opens a page, waits until it has loaded completely, and ignores the browser's own reports of broken connections. */
async function visit(path: string): Promise<Page> {
  const page = await site.visit(path);
  page.removeAllListeners('console');
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => Object.assign(window, { untouched: true }));
  return page;
}

const email = (page: Page) => page.getByLabel('Email', { exact: true });
const isUntouched = (page: Page) => page.evaluate(() => 'untouched' in window);
const unreached = (page: Page) => page.getByText('The server can’t be reached.').first().waitFor();
const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' }).click();
const goOffline = (page: Page) => page.context().setOffline(true);
const comeBack = (page: Page) => page.context().setOffline(false);

/** The server executes the next such request, and its response is lost. */
const loseResponse = (page: Page, address: string) =>
  routeNext(page, address, async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });

describe('without a connection typed text stays, and a retry continues', () => {
  test('for a form whose code is not loaded yet', async () => {
    const { email: address } = await register(site.server);
    const page = await visit('/');
    await goOffline(page);
    await signIn(page, address);
    await unreached(page);
    await expect.poll(() => email(page).inputValue()).toBe(address);
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe(password);
    expect(await isUntouched(page)).toBe(true);
    await comeBack(page);
    await tryAgain(page);
    await page.waitForURL('**/computers/add/');
  });

  test('for a link whose page is not loaded yet', { tags: 'full' }, async () => {
    const page = await visit('/');
    await goOffline(page);
    await email(page).fill('anna@example.com');
    await page.getByRole('link', { name: 'Create a free account' }).click();
    await unreached(page);
    await expect.poll(() => email(page).inputValue()).toBe('anna@example.com');
    expect(await isUntouched(page)).toBe(true);
    // It takes its place in the column.
    const message = await page.getByRole('alert').boundingBox();
    const title = await page.getByRole('heading', { name: 'Welcome Back' }).boundingBox();
    expect(title?.y).toBeGreaterThan((message?.y ?? 0) + (message?.height ?? 0));
    await comeBack(page);
    await page.getByRole('heading', { name: 'Create a free account' }).waitFor();
    await expect.poll(() => page.getByText('The server can’t be reached.').count()).toBe(0);
    expect(await isUntouched(page)).toBe(true);
  });

  test('by itself once the server responds again, on a device that had a network all the time', {
    tags: 'full',
  }, async () => {
    const page = await visit('/');
    await page.clock.install();
    await page.route(/recovery|latest/, (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await unreached(page);
    await page.unrouteAll();
    await page.clock.runFor(seconds(10));
    await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
  });

  test('for another language', { tags: 'full' }, async () => {
    const page = await visit('/recovery/');
    await goOffline(page);
    await email(page).fill('anna@example.com');
    await chooseLanguage(page, 'Deutsch');
    await unreached(page);
    await comeBack(page);
    await page.waitForURL('**/de/recovery/');
    await expect.poll(() => page.locator('[name=email]').inputValue()).toBe('anna@example.com');
  });

  test('for Back and Forward between visited pages', { tags: 'full' }, async () => {
    const page = await visit('/');
    await page.getByRole('link', { name: 'Create a free account' }).click();
    await page.getByRole('heading', { name: 'Create a free account' }).waitFor();
    await page.getByLabel('Your Name').fill('Grace');
    await goOffline(page);
    await page.goBack();
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    await page.goForward();
    await expect.poll(() => page.getByLabel('Your Name').inputValue()).toBe('Grace');
  });

  test('for a requested call', { tags: 'full' }, async () => {
    const page = await visit('/register/');
    await goOffline(page);
    await page.getByLabel('Phone number').fill('+1 202 555 0123');
    await page.getByRole('button', { name: 'Call me' }).click();
    await unreached(page);
    expect(await isUntouched(page)).toBe(true);
    await comeBack(page);
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByLabel('Last 4 digits of the calling number').fill('1');
    await goOffline(page);
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByText('Enter the last 4 digits').waitFor();
    await page.getByLabel('Last 4 digits of the calling number').fill('1111');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await unreached(page);
    expect(await isUntouched(page)).toBe(true);
  });

  test.each([
    ['immediately', '+1 202 555 0125', async () => undefined],
    ['after a reload', '+1 202 555 0126', (page: Page) => page.reload({ waitUntil: 'networkidle' })],
  ])('for a call whose response was lost: a retry %s accepts its digits', { tags: 'full' }, async (_, typed, goOn) => {
    const page = await visit('/register/');
    const placed = async () => (await site.server.calls()).filter(({ to }) => to === typed.replaceAll(' ', ''));
    await loseResponse(page, '**/auth/phone/call');
    await page.getByLabel('Phone number').fill(typed);
    await page.getByRole('button', { name: 'Call me' }).click();
    await unreached(page);
    const [call] = await placed();
    await goOn(page);
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByLabel('Last 4 digits of the calling number').fill(String(call?.from).slice(-4));
    await page.getByText('Confirmed', { exact: true }).waitFor();
    await expect.poll(placed).toHaveLength(1);
  });

  test('for a deletion whose response was lost: a retry reports it without another sign-in', {
    tags: 'full',
  }, async () => {
    const { browser, email: address } = await register(site.server);
    const page = await site.visit('/account/privacy/', { session: browser });
    page.removeAllListeners('console');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByLabel('Current password').fill('not it at all');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Incorrect password').waitFor();
    await page.getByLabel('Current password').fill(password);
    const aborted = page.waitForEvent('requestfailed', (request) => request.method() === 'DELETE');
    let done = false;
    await page.route('**/account', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      // Not with `route.fetch`, which would store the cookies of a lost response.
      if (!done) expect((await browser.send('DELETE', '/account', { body: { password } })).status).toBe(204);
      done = true;
      await route.abort('connectionreset');
    });
    await page.keyboard.press('Enter');
    await aborted;
    await unreached(page);
    await tryAgain(page);
    await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
    expect((await site.server.mailTo(address, /will be deleted/)).text).toContain('sign in before then');
  });

  test('for a device that was signed out, and for a removed passkey: a retry removes the line', {
    tags: 'full',
  }, async () => {
    const { browser, email: address } = await register(site.server);
    await site.server.client().post('/auth/login', { email: address, password });
    const page = await site.visit('/account/sessions/', {
      session: browser,
      prepare: (fresh) => addVirtualAuthenticator(fresh),
    });
    page.removeAllListeners('console');
    const main = page.getByRole('main');
    const signOut = main.getByRole('button', { name: /^Sign out Unknown device/ });
    await signOut.waitFor();
    await loseResponse(page, '**/account/sessions/*');
    await signOut.click();
    await unreached(page);
    await signOut.click();
    await signOut.waitFor({ state: 'detached' });
    await page.getByText('The server can’t be reached.').waitFor({ state: 'detached' });
    await page.goto(`${site.origin}/account/security/`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey was added.').waitFor();
    await page.getByRole('button', { name: /^Remove/ }).click();
    await loseResponse(page, '**/account/passkeys/*');
    const remove = page.getByRole('button', { name: 'Remove passkey' });
    await remove.click();
    await unreached(page);
    await remove.click();
    await page.getByText('The passkey was removed.').waitFor();
  });

  test('for a page that was not yet hydrated: it hydrates once the server responds', { tags: 'full' }, async () => {
    const page = await visit('/');
    let reachable = false;
    const gone = ['**/assets/sign-in.screen*', '**/builds/latest.json'];
    for (const part of gone)
      await page.route(part, (route) => (reachable ? route.continue() : route.abort('internetdisconnected')));
    const asked = page.waitForRequest('**/builds/latest.json');
    await page.goto(`${site.origin}/`);
    await asked;
    await expect.poll(() => page.getByRole('heading', { name: 'Welcome Back' }).isVisible()).toBe(true);
    reachable = true;
    await page.locator('html[data-alive]').waitFor();
  });
});

describe('after ten seconds without a response the page says so', () => {
  /** Opens a page with an adjustable clock, whose requests to `unanswered` get no response before `answer`. */
  async function wait(path: string, unanswered = '**/nothing') {
    let answering = false;
    const page = await site.visit('/');
    page.removeAllListeners('console');
    await page.route(unanswered, (route) => (answering ? route.continue() : undefined));
    await page.clock.install();
    await page.goto(site.origin + path);
    await page.locator('html[data-alive]').waitFor();
    return {
      page,
      pass: () => page.clock.runFor(seconds(10)),
      answer: () => {
        answering = true;
      },
    };
  }
  const overdue = (page: Page) => page.getByText('The server hasn’t responded yet.').first().waitFor();

  test('for a sign-in, and offers a retry', async () => {
    const { email: address } = await register(site.server);
    const { page, pass, answer } = await wait('/', '**/auth/login');
    const sent = page.waitForRequest('**/auth/login');
    await signIn(page, address);
    await sent;
    await pass();
    await overdue(page);
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe(password);
    answer();
    await tryAgain(page);
    await page.waitForURL('**/computers/add/');
  });

  test('for a link, and offers a retry', { tags: 'full' }, async () => {
    const { page, pass, answer } = await wait('/', '**/recovery/_payload.json');
    await email(page).fill('anna@example.com');
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await page.clock.runFor(seconds(1));
    await page.getByText('Loading…').waitFor();
    await pass();
    await overdue(page);
    await expect.poll(() => email(page).inputValue()).toBe('anna@example.com');
    answer();
    await page.getByRole('link', { name: 'Create a free account' }).click();
    await page.getByRole('heading', { name: 'Create a free account' }).waitFor();
    await expect.poll(() => page.getByText('The server hasn’t responded yet.').count()).toBe(0);
  });

  test('for the account page', { tags: 'full' }, async () => {
    const { browser } = await register(site.server);
    const account = await wait('/', '**/account');
    await site.shareSession(browser, account.page);
    const read = account.page.waitForRequest('**/account');
    await account.page.goto(`${site.origin}/account/`);
    await read;
    await account.page.getByText('Loading…').waitFor();
    await account.pass();
    await overdue(account.page);
    account.answer();
    await account.page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
    await account.page.getByRole('heading', { name: 'Profile' }).waitFor();
    await account.page.getByLabel('Your Name').waitFor();
  });

  test('once for a page that waits for its session, and until the response', { tags: 'full' }, async () => {
    const { browser } = await register(site.server);
    const { page, pass } = await wait('/nothing/here/');
    const released = Promise.withResolvers<void>();
    await page.route('**/auth/refresh', async (route) => {
      await released.promise;
      await route.continue();
    });
    await site.shareSession(browser, page);
    const sent = page.waitForRequest('**/auth/refresh');
    await page.goto(`${site.origin}/account/`);
    await sent;
    await page.locator('html[data-alive]').waitFor();
    await pass();
    await overdue(page);
    await expect.poll(() => page.getByText('The server hasn’t responded yet.').count()).toBe(1);
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    released.resolve();
    await page.getByLabel('Your Name').waitFor();
    await expect.poll(() => page.getByText('The server hasn’t responded yet.').count()).toBe(0);
  });
});

test('an error that prevents a request shows its own message', { tags: 'full' }, async () => {
  const page = await visit('/');
  await email(page).fill('anna@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.evaluate(() => {
    window.fetch = () => {
      throw new Error('Requests are forbidden');
    };
  });
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByRole('alert').filter({ hasText: 'Requests are forbidden' }).waitFor();
});
