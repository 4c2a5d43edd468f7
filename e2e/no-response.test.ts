import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { seconds } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
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

describe('without a connection typed text stays, and a retry continues', () => {
  test('for a form whose code is not loaded yet', async () => {
    const { email: address } = await register(site.server);
    const page = await visit('/');
    await goOffline(page);
    await email(page).fill(address);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Login' }).click();
    await unreached(page);
    await expect.poll(() => email(page).inputValue()).toBe(address);
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe(password);
    expect(await isUntouched(page)).toBe(true);
    await comeBack(page);
    await tryAgain(page);
    await page.waitForURL('**/computers/add/');
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
    await email(page).fill(address);
    await page.getByLabel('Password', { exact: true }).fill(password);
    const sent = page.waitForRequest('**/auth/login');
    await page.getByRole('button', { name: 'Login' }).click();
    await sent;
    await pass();
    await overdue(page);
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe(password);
    answer();
    await tryAgain(page);
    await page.waitForURL('**/computers/add/');
  });
});
