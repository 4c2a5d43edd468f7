import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import { evaluateAlarms } from '../src/devices/alarms/evaluate-alarms.ts';
import { decideIncidents } from '../src/devices/alarms/incidents/decide-incidents.ts';
import type { Client } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Registers someone with a computer, and opens a page of theirs; `:id` stands for the computer. */
async function openPage(path: string, before = async (_browser: Client) => {}) {
  const { browser } = await register(site.server);
  const { code } = (await browser.post('/computers/enrolments', { password })).body;
  await site.server.client().post('/computers/enrol', { code, name: 'laptop', platform: 'linux' });
  const { computers } = (await browser.get('/computers')).body;
  const address = path.replace(':id', computers[0].id);
  await before(browser);
  const page = await site.visit(address, { session: browser });
  return { browser, page, address, id: String(computers[0].id) };
}

async function openAgain(page: Page, address: string): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(site.origin + address);
  return other;
}

const silence = (page: Page) => page.locator('[name=alarm_silent]');
const disk = (page: Page) => page.locator('[name=disk_low]');
const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });

async function saveRules(page: Page): Promise<void> {
  await button(page, 'Save alarm settings').click();
  await page.getByText('Saved').waitFor();
}

const rules = async (browser: Client) => (await browser.get('/account/alarms')).body;

describe('alarm settings', () => {
  test('that are saved in one tab appear in another, which keeps its own choice and undoes nothing', async () => {
    const { browser, page, address } = await openPage('/account/alarms/');
    const other = await openAgain(page, address);
    await disk(other).uncheck();
    await silence(page).selectOption('30');
    await saveRules(page);
    await expect.poll(() => silence(other).inputValue()).toBe('30');
    await saveRules(other);
    expect(await rules(browser)).toMatchObject({ silent_after_minutes: 30, disk_low: false });
    await expect.poll(() => disk(page).isChecked()).toBe(false);
  });
});

test('an incident is seen once its page was open, and can be acknowledged there', async () => {
  const { browser, page } = await openPage('/notifications/', async (owner) => {
    await owner.put('/account/alarms', { silent_after_minutes: 5, disk_low: true, battery_low: true, email: false });
    for (let passed = 0; passed < 30; passed += 1) {
      site.server.forward(minutes(1));
      await evaluateAlarms(site.server);
      await decideIncidents(site.server);
    }
    await owner.post('/auth/refresh');
  });
  const incidents = async () => (await browser.get('/account/incidents')).body;
  expect(await incidents()).toMatchObject({ unseen: 1, incidents: [{ acknowledged_at: null }] });
  await page.getByRole('main').getByRole('link', { name: 'Alarms' }).click();
  await page.getByRole('link', { name: 'Silent: laptop' }).click();
  await expect.poll(incidents).toMatchObject({ unseen: 0, incidents: [{ acknowledged_at: null }] });
  await button(page, 'Acknowledge for a day').click();
  await page.getByText('Acknowledged:').waitFor();
  expect(await incidents()).toMatchObject({ incidents: [{ acknowledged_at: expect.any(String) }] });
});
