import { expect, test } from 'vitest';
import { hours } from '../src/contract/units.ts';
import type { Client } from '../src/testing/client.ts';
import { addComputer } from '../src/testing/people.ts';
import { openDashboard, report } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const add = async (browser: Client, name: string) => (await addComputer(site.server, browser, name)).computer;

test('on an empty dashboard, devices, their reports and their problems appear without a reload', async () => {
  const { page, browser } = await openDashboard(site);
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  const computer = await add(browser, 'Front desk');
  const devices = page.getByRole('row').filter({ hasText: 'Active now' });
  await devices.getByText('Front desk').first().waitFor();
  await report(site, computer, 'start', 'disk_low');
  await page.getByRole('listitem').filter({ hasText: 'Front desk' }).getByText('Low disk space').first().waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Started' }).last().waitFor();
  await report(site, computer, 'disk_enough');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor({ state: 'detached' });
  // What the owner did is no news; that a computer left on its own is, and the menu counts it.
  await computer.send('DELETE', '/computers/me', {});
  const menu = page.getByRole('navigation').getByRole('link', { name: 'Notifications' });
  await menu.getByText('1 unread').waitFor();
  await menu.click();
  await page.getByText('Front desk was removed.').waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Notifications');
  await menu.getByText('1 unread').waitFor({ state: 'detached' });
});

test('devices are filtered by state and system and sorted by any column, in the page’s address', async () => {
  const { page } = await openDashboard(site, async (owner) => {
    const [low, busy, stopped] = [await add(owner, 'Low'), await add(owner, 'Busy'), await add(owner, 'Stopped')];
    await add(owner, 'Old');
    site.server.forward(hours(2));
    await report(site, low, 'disk_low');
    await report(site, stopped, 'stop');
    await busy.post('/computers/heartbeat', {});
  });
  const names = () => page.locator('tbody th a').allInnerTexts();
  // Four devices need no search, but each number leads to the devices that it counts.
  await expect.poll(names).toEqual(['Old', 'Low', 'Busy', 'Stopped']);
  await expect.poll(() => page.getByRole('searchbox').count()).toBe(0);
  await page.getByRole('button', { name: '1 silent' }).click();
  await page.waitForURL('**/dashboard/?state=silent');
  await expect.poll(names).toEqual(['Old']);
  await page.getByRole('link', { name: 'All devices' }).click();
  await page.waitForURL('**/devices/');
  await expect.poll(names).toEqual(['Old', 'Low', 'Busy', 'Stopped']);
  await page.getByRole('columnheader', { name: 'Device' }).getByRole('button').press('Enter');
  await expect.poll(names).toEqual(['Busy', 'Low', 'Old', 'Stopped']);
  await page.getByRole('columnheader', { name: 'Device' }).getByRole('button').click();
  await expect.poll(names).toEqual(['Stopped', 'Old', 'Low', 'Busy']);
  await expect
    .poll(() => page.getByRole('columnheader', { name: 'Device' }).getAttribute('aria-sort'))
    .toBe('descending');
  await page.getByRole('button', { name: '1 off' }).click();
  await expect.poll(names).toEqual(['Stopped']);
  await page.waitForURL('**/devices/?sort=-name&state=off');
  await page.reload();
  await expect.poll(names).toEqual(['Stopped']);
  // A device that was stopped is not active, although its last words just arrived.
  await expect.poll(() => page.getByRole('cell').getByText('Active now').count()).toBe(0);
  // A filter that is pressed while the address still waits for the search keeps it, and a link leaves the page at once.
  await page.goto(`${site.origin}/devices/?find=o`);
  const find = page.getByRole('searchbox');
  await expect.poll(names).toEqual(['Old', 'Low', 'Stopped']);
  await find.fill('old');
  await page.getByRole('button', { name: '1 silent' }).click();
  await page.waitForURL('**/devices/?find=old&state=silent');
  // In one step, because the search would end its wait on a busy machine.
  await find.evaluate((input: HTMLInputElement) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, 'l');
    input.dispatchEvent(new Event('input', { bubbles: true }));
    document.querySelector<HTMLAnchorElement>('nav a[href="/records/"]')?.click();
  });
  await page.waitForURL('**/records/');
  await page.goBack();
  await page.waitForURL('**/devices/?find=old&state=silent');
  await expect.poll(() => find.inputValue()).toBe('old');
  // The whole row leads to its device.
  await page.getByRole('cell', { name: 'Silent' }).click({ force: true });
  await page.getByRole('heading', { name: 'Old', level: 1 }).waitFor();
});

test('on paper, the devices that match are a table with names, states and tags, without anything to press', async () => {
  const { page } = await openDashboard(site, async (owner) => {
    const desk = await addComputer(site.server, owner, 'Front desk');
    await owner.put(`/computers/${desk.id}/tags`, { tags: ['Berlin'] });
    for (const name of ['Kitchen', 'Hall', 'Cellar']) await add(owner, name);
  });
  await page.goto(`${site.origin}/devices/?view=compact&find=desk`);
  await page.getByRole('searchbox').waitFor();
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await page.getByRole('row').allInnerTexts()).toEqual([
    expect.stringContaining('Device'),
    expect.stringMatching(/Front desk\s+Linux\s*Berlin\s+Active now/),
  ]);
  await page.getByText('Search desk').waitFor();
  expect(await page.locator('main').getByRole('button').count()).toBe(0);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({ media: null });
  await page.getByRole('searchbox').waitFor();
  expect(await page.getByRole('row').count()).toBe(0);
  // Lists that show more on demand are complete.
  site.server.forward(hours(2));
  await page.goto(`${site.origin}/dashboard/`);
  const silent = page.getByRole('listitem').filter({ hasText: 'Silent' });
  await expect.poll(() => silent.count()).toBe(3);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await silent.count()).toBe(4);
  expect(await page.locator('main').getByRole('button').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Add computers' }).count()).toBe(0);
});

test('the page of a device asks about no other device', async () => {
  let id = '';
  const { page } = await openDashboard(site, async (owner) => {
    id = (await addComputer(site.server, owner, 'Front desk')).id;
  });
  await page.goto(`${site.origin}/devices/${id}/`);
  await page.getByRole('heading', { name: 'Front desk' }).waitFor();
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  const polled = page.waitForResponse(`**/computers/${id}/history`);
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await polled;
  expect(paths).not.toContain('/computers');
  // Its lines begin at the side of the page, whatever the direction of the name.
  await page.goto(`${site.origin}/ar/devices/${id}/`);
  const name = page.getByRole('heading', { name: 'Front desk' }).locator('bdi');
  expect(await name.evaluate((element) => getComputedStyle(element).textAlign)).toMatch(/right$/);
});
