import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Client } from '../src/testing/client.ts';
import { password, proveAddress, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Registers someone with a computer, and opens a page of theirs; `:id` stands for the computer. */
async function openPage(path: string) {
  const { browser } = await register(site.server);
  const { code } = (await browser.post('/computers/enrolments', { password })).body;
  await site.server.client().post('/computers/enrol', { code, name: 'laptop', platform: 'linux' });
  const { computers } = (await browser.get('/computers')).body;
  const address = path.replace(':id', computers[0].id);
  const page = await site.visit(address, { session: browser });
  return { browser, page, address, id: String(computers[0].id) };
}

async function openAgain(page: Page, address: string): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(site.origin + address);
  return other;
}

const silence = (page: Page) => page.locator('[name=alarm_silent]');
const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });

async function saveRules(page: Page): Promise<void> {
  await button(page, 'Save alarm settings').click();
  await page.getByText('Saved').waitFor();
}

const rules = async (browser: Client) => (await browser.get('/account/alarms')).body;

describe('alarm settings', () => {
  test('stay when the response to an earlier request arrives after theirs', async () => {
    const { page } = await openPage('/account/alarms/');
    const held = Promise.withResolvers<void>();
    await page.route('**/computers/*/alarms', async (route) => {
      await held.promise;
      await route.continue();
    });
    await button(page, 'Mute for a day').click();
    await silence(page).selectOption('15');
    await saveRules(page);
    held.resolve();
    await button(page, 'Unmute').first().waitFor();
    await expect.poll(() => silence(page).inputValue()).toBe('15');
  });

  test.each(['alarm_quiet', 'alarm_email'])(
    'can be saved after a time of the quiet hours was cleared and %s was turned off',
    async (choice) => {
      const person = await register(site.server);
      await proveAddress(site.server, person);
      const hours = { from: '21:00', until: '06:30' };
      const { time_zone, email_confirmed, computers, tags, ...known } = await rules(person.browser);
      await person.browser.send('PUT', '/account/alarms', { body: { ...known, email: true, quiet_hours: hours } });
      const page = await site.visit('/account/alarms/', { session: person.browser });
      await page.locator('[name=alarm_from]').fill('');
      await page.locator(`[name=${choice}]`).uncheck();
      await saveRules(page);
      expect(await rules(person.browser)).toMatchObject(
        choice === 'alarm_quiet' ? { email: true, quiet_hours: null } : { email: false, quiet_hours: hours },
      );
    },
  );

  test('no longer count as saved once they are changed', async () => {
    const { page } = await openPage('/account/alarms/');
    await silence(page).selectOption('30');
    await saveRules(page);
    await silence(page).selectOption('60');
    await expect.poll(() => page.getByText('Saved.').count()).toBe(0);
    await saveRules(page);
  });

  test('of one device that are changed in another tab appear on its page', async () => {
    const { page, address } = await openPage('/devices/:id/');
    const rule = (tab: Page) => tab.locator('[name=alarm_device_silent]');
    await rule(page).selectOption('30');
    await button(page, 'Save for this device').click();
    await page.getByText('Saved').waitFor();
    const other = await openAgain(page, address);
    await rule(other).selectOption('720');
    await button(other, 'Save for this device').click();
    await other.getByText('Saved').waitFor();
    await expect.poll(() => rule(page).inputValue()).toBe('720');
  });

  test('say after ten seconds that the response to a mute is missing, and offer a retry', async () => {
    const { page } = await openPage('/devices/:id/');
    await button(page, 'Mute for a day').waitFor();
    await page.clock.install();
    const held = Promise.withResolvers<void>();
    let isFirst = true;
    await page.route('**/computers/*/alarms', async (route) => {
      if (isFirst && route.request().method() === 'PUT') {
        isFirst = false;
        await held.promise;
      }
      await route.continue().catch(() => undefined);
    });
    await button(page, 'Mute for a day').click();
    await page.getByRole('button', { name: 'Please, wait...' }).waitFor();
    await page.clock.fastForward(10_000);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await button(page, 'Unmute').waitFor();
    held.resolve();
  });
});

test('a device that is renamed in one tab and then in another has the newer name in both', async () => {
  const { page, address } = await openPage('/devices/:id/');
  const other = await openAgain(page, address);
  const rename = async (tab: Page, name: string) => {
    await button(tab, 'Rename').click();
    await tab.getByLabel('Device name').fill(name);
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name, exact: true }).waitFor();
  };
  await rename(page, 'first');
  await other.getByRole('heading', { name: 'first', exact: true }).waitFor();
  await rename(other, 'second');
  await page.getByRole('heading', { name: 'second', exact: true }).waitFor();
});
