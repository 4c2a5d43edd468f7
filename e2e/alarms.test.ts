import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import { evaluate, silentFor } from '../src/testing/alarms.ts';
import type { Client } from '../src/testing/client.ts';
import { addComputer, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Registers someone with a computer, and opens a page of theirs; `:id` stands for the computer. */
async function openPage(path: string, before = async (_browser: Client) => {}) {
  const { browser } = await register(site.server);
  const { id } = await addComputer(site.server, browser, 'laptop');
  const address = path.replace(':id', id);
  await before(browser);
  const page = await site.visit(address, { session: browser });
  return { browser, page, address };
}

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });
const sentences = (page: Page) => page.locator('[data-rule]').allTextContents();
const rules = async (browser: Client) => (await browser.get('/account/alarms')).body.rules;

// First, since devices of three accounts that fall silent together would mean that the service is unreachable.
test('an incident is seen once its page was open, which reads its notifications, and can be acknowledged there', async () => {
  const { browser, page } = await openPage('/dashboard/', async (owner) => {
    await owner.post('/account/alarms/rules', silentFor(5));
    for (let passed = 0; passed < 30; passed += 1) {
      site.server.forward(minutes(1));
      await evaluate(site.server);
    }
    await owner.post('/auth/refresh');
  });
  const incidents = async () => (await browser.get('/account/incidents')).body;
  expect(await incidents()).toMatchObject({ unseen: 1, incidents: [{ acknowledged_at: null }] });
  await page.getByRole('link', { name: 'Alarms 1 open alarm', exact: true }).click();
  const other = await page.context().newPage();
  await other.goto(`${site.origin}/notifications/`);
  const unread = (tab: Page) => tab.getByRole('link', { name: /^Notifications .*unread/ });
  await unread(other).waitFor();
  await unread(page).waitFor();
  await page.getByRole('link', { name: 'Silent: laptop' }).click();
  await expect.poll(incidents).toMatchObject({ unseen: 0, incidents: [{ acknowledged_at: null }] });
  // In both tabs, in the menu and in the list.
  await unread(page).waitFor({ state: 'detached' });
  await unread(other).waitFor({ state: 'detached' });
  await expect.poll(() => button(other, 'Mark as read').count()).toBe(0);
  await button(page, 'Acknowledge for a day').click();
  await page.getByText('Acknowledged until').waitFor();
  expect(await incidents()).toMatchObject({ incidents: [{ acknowledged_at: expect.any(String) }] });
});

describe('alarm rules', () => {
  test('are added after a try, and moved by keyboard, which keeps the focus', async () => {
    const { browser, page } = await openPage('/alarms/rules/');
    await button(page, 'Add a rule').click();
    await page.getByRole('radio', { name: 'Only certain devices or tags' }).check();
    await page.getByRole('checkbox', { name: 'laptop' }).check();
    await page.locator('[name=rule_silent]').selectOption('30');
    await button(page, 'Try on the last 30 days').click();
    await page.getByText('Alarms in the last 30 days').waitFor();
    await button(page, 'Save').first().click();
    await expect.poll(() => sentences(page)).toHaveLength(4);
    expect((await sentences(page))[0]).toContain('laptop · Silent for 30 minutes · Every channel');
    const [{ id }] = await rules(browser);
    await page.locator(`[data-rule="${id}"] [data-move="down"]`).focus();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Enter');
    await expect.poll(async () => (await rules(browser)).at(-1).id).toBe(id);
    // Below the last one there is no place, so the other button has the focus.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-move'))).toBe('up');
    await page.getByText('Position 4 of 4').waitFor({ state: 'attached' });
  });

  test('that are changed in one tab appear in another', async () => {
    const { browser, page, address } = await openPage('/alarms/rules/');
    const other = await page.context().newPage();
    await other.goto(site.origin + address);
    await expect.poll(() => sentences(other)).toHaveLength(3);
    await button(page, 'Remove').first().click();
    await expect.poll(() => sentences(other)).toHaveLength(2);
    expect(await rules(browser)).toMatchObject([{ id: 'disk' }, { id: 'battery' }]);
  });
});

test('alarm settings save quiet hours, also none after a time was cleared', { tags: 'full' }, async () => {
  const { browser, page } = await openPage('/alarms/rules/');
  const quiet = async () => (await browser.get('/account/alarms')).body.quiet_hours;
  const change = () => button(page, 'Change').and(page.locator('[aria-describedby=quiet-hours]')).press('Enter');
  await change();
  await page.locator('[name=alarm_until]').fill('06:30');
  await button(page, 'Save').click();
  await page.getByText('10:00 PM – 6:30 AM').waitFor();
  expect(await quiet()).toEqual({ from: '22:00', until: '06:30' });
  // The form is gone with the focus in it, and comes back with it.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Change');
  await change();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('alarm_quiet');
  await page.locator('[name=alarm_from]').fill('');
  await page.locator('[name=alarm_quiet]').uncheck();
  await button(page, 'Save').click();
  await expect.poll(quiet).toBeNull();
});

test('a device that is renamed in one tab and then in another has the newer name in both', {
  tags: 'full',
}, async () => {
  const { page, address } = await openPage('/devices/:id/');
  const other = await page.context().newPage();
  await other.goto(site.origin + address);
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
