import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addComputer, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Registers someone with a computer, and opens a page of theirs; `:id` stands for the computer. */
async function openPage(path: string) {
  const { browser } = await register(site.server);
  const { id } = await addComputer(site.server, browser, 'laptop');
  const address = path.replace(':id', id);
  const page = await site.visit(address, { session: browser });
  return { browser, page, address };
}

async function openAgain(page: Page, address: string): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(site.origin + address);
  return other;
}

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });

describe('alarm settings', () => {
  test('save quiet hours, also none after a time was cleared', async () => {
    const { browser, page } = await openPage('/alarms/rules/');
    const quiet = async () => (await browser.get('/account/alarms')).body.quiet_hours;
    await page.locator('[name=alarm_quiet]').check();
    await page.locator('[name=alarm_until]').fill('06:30');
    await button(page, 'Save').click();
    await page.getByText('Saved').waitFor();
    expect(await quiet()).toEqual({ from: '22:00', until: '06:30' });
    await page.locator('[name=alarm_from]').fill('');
    await page.locator('[name=alarm_quiet]').uncheck();
    await button(page, 'Save').click();
    await expect.poll(quiet).toBeNull();
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
