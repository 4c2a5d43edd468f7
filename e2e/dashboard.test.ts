import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { hours } from '../src/contract/durations.ts';
import { addComputer } from '../src/store/computers/computers.ts';
import type { Client } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const door = await openTestSite();

async function signIn(prepare: (browser: Client) => Promise<unknown>): Promise<{ page: Page; browser: Client }> {
  const { email, browser } = await register(door.server);
  await browser.put('/additionally/way', { place: '/dashboard/' });
  await prepare(browser);
  const page = await door.visit('/');
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('[name="password"]').press('Enter');
  await page.waitForURL('**/dashboard/');
  return { page, browser };
}

async function add(browser: Client, name: string): Promise<Client> {
  const { code } = (await browser.post('/computers/enrolments', { password })).body;
  const computer = door.server.client();
  const { body } = await computer.post('/computers/enrol', { code, name, platform: 'linux' });
  return Object.assign(computer, { token: body.device_token });
}

test('a retry after a failed load moves the focus to the page’s heading', async () => {
  const { page } = await signIn(async () => undefined);
  page.removeAllListeners('console');
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  await page.route('**/computers', (route) => route.abort('connectionreset'));
  await page.reload();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await page.unroute('**/computers');
  await again.press('Enter');
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Hello, /);
});

/** Inserts a computer directly, since the rate limit of codes allows too few in an hour. */
const enrolled = (account_id: string, name: string) =>
  door.server.store.transaction().execute((trx) =>
    addComputer(trx, {
      id: name,
      account_id,
      name,
      platform: 'linux',
      token_hash: name,
      created_at: door.server.now(),
      last_seen_at: door.server.now(),
      signs: '',
    }),
  );

let told = 0;
function report(computer: Client, ...kinds: string[]) {
  const records = kinds.map((kind) => {
    told += 1;
    return { id: String(told), at: door.server.now(), kind, text: 'As the device wrote it.' };
  });
  return computer.post('/computers/records', { records });
}

test('on an empty dashboard, devices, their reports and their problems appear without a reload', async () => {
  const { page, browser } = await signIn(async () => undefined);
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  const computer = await add(browser, 'Front desk');
  const devices = page.getByRole('listitem').filter({ hasText: 'Active now' });
  await devices.getByText('Front desk').first().waitFor();
  await page.getByText('1 unread').waitFor();
  await report(computer, 'start', 'disk_low');
  await page.getByText('Front desk: there is little space left on the disk.').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Started' }).last().waitFor();
  await report(computer, 'disk_enough');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Notifications');
  await page.getByText('1 unread').waitFor({ state: 'detached' });
});

test('a long list shows its first devices, more on demand, and any device by search', async () => {
  const { page, browser } = await signIn(async (owner) => {
    const { id } = (await owner.get('/account')).body;
    const names = ['Zoë’s phone', ...Array.from({ length: 59 }, (_, at) => `PC ${at + 1}`)];
    await Promise.all(names.map((name) => enrolled(id, name)));
  });
  const devices = page.getByRole('button', { name: /^Manage/ });
  await expect.poll(() => devices.count()).toBe(25);
  const more = page.getByRole('button', { name: 'more entries' });
  await page.getByRole('button', { name: 'Show 25 more entries' }).press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^PC 26/);
  expect(await devices.count()).toBe(50);
  await page.getByRole('button', { name: 'Show 10 more entries' }).click();
  await expect.poll(() => devices.count()).toBe(60);
  expect(await more.count()).toBe(0);
  const find = page.getByRole('searchbox', { name: 'Find a device' });
  await find.fill('zoe linux');
  await page.getByRole('status').getByText('1 device found').waitFor();
  expect(await devices.count()).toBe(1);
  await find.fill('mac');
  await page.getByText('No device found').waitFor();
  await find.fill('');
  await expect.poll(() => devices.count()).toBe(25);
  // A new device above it must not disturb an open form.
  await page.getByRole('button', { name: 'Manage PC 25' }).click();
  await page.getByLabel('Name of the device').fill('Half a na');
  await add(browser, 'Aaa');
  await page.getByText('Aaa', { exact: true }).first().waitFor();
  expect(await page.getByLabel('Name of the device').inputValue()).toBe('Half a na');
});

test('a silent device comes first, and records can be filtered and paged back to the oldest', async () => {
  const { page } = await signIn(async (browser) => {
    const [silent, busy] = [await add(browser, 'Silent'), await add(browser, 'Busy')];
    await report(silent, 'door');
    door.server.forward(hours(2));
    for (let time = 0; time < 3; time += 1) await report(busy, ...Array.from({ length: 30 }, () => 'network_back'));
  });
  await page.getByText('Silent is silent. Last seen: 2 hours ago.').waitFor();
  const records = page.locator('ol > li');
  await expect.poll(() => records.count()).toBe(50);
  await page.getByRole('button', { name: 'Show older' }).last().click();
  await expect.poll(() => records.count()).toBe(91);
  // After the oldest record the button disappears.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Records');
  await page.getByLabel('Device').selectOption({ label: 'Silent' });
  await expect.poll(() => records.allInnerTexts()).toEqual([expect.stringContaining('door')]);
  await page.getByLabel('What happened').selectOption({ label: 'Stopped' });
  await page.getByText('No records match this choice.').waitFor();
});

test('of many silent devices the page names the first few, and the others on demand', async () => {
  const { page } = await signIn(async (browser) => {
    for (let place = 1; place <= 20; place += 1) await add(browser, `PC ${place}`);
    door.server.forward(hours(2));
  });
  const silent = page.getByText('Last seen: 2 hours ago.');
  await page.getByRole('button', { name: 'Show 15 more entries' }).press('Enter');
  expect(await silent.count()).toBe(20);
  expect(await silent.nth(5).evaluate((line) => line.closest('li') === document.activeElement)).toBe(true);
});

test('marking one notification as read leaves the others unread', async () => {
  const { page } = await signIn(async (browser) => {
    for (const name of ['First', 'Second']) await add(browser, name);
  });
  const second = page.getByRole('listitem').filter({ hasText: 'Second was added.' });
  await second.getByRole('button', { name: 'Mark as read' }).press('Enter');
  await page.getByText('1 unread').waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: 'Unread:' }).allInnerTexts()).toEqual([
    expect.stringContaining('First was added.'),
  ]);
});

/** Runs in the page: presses “Show older” until there are `until` rows, or all rows. */
async function showOlder(until: number): Promise<void> {
  for (;;) {
    const older = [...document.querySelectorAll('button')].find((button) => /Show older/.test(button.textContent));
    if (!older || document.querySelectorAll('ol > li').length >= until) return;
    older.click();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('paging through ten thousand records while new ones arrive neither loses nor repeats a record', async () => {
  let computer: Client | undefined;
  const expected: string[] = [];
  async function write(count: number): Promise<void> {
    const at = door.server.now();
    const records = Array.from({ length: count }, (_, place) => {
      const text = `No. ${expected.length + place}`;
      return { id: text, at: at + place, kind: 'door', text };
    });
    expected.push(...records.map(({ text }) => `door: ${text}`));
    expect((await computer?.post('/computers/records', { records }))?.status).toBe(202);
    door.server.forward(count);
  }
  const { page } = await signIn(async (browser) => {
    computer = await add(browser, 'Office');
    for (let batch = 0; batch < 100; batch += 1) await write(100);
  });
  const rows = page.locator('ol > li');
  await rows.first().waitFor();
  for (const until of [2000, 4000, 6000, 8000, Number.POSITIVE_INFINITY]) {
    await page.evaluate(showOlder, until);
    if (until > 8000) break;
    await write(30);
    await rows
      .first()
      .getByText(expected.at(-1) ?? '', { exact: true })
      .waitFor();
  }
  const texts = await rows.evaluateAll((all) => all.map((row) => row.lastElementChild?.textContent));
  expect(texts).toEqual(expected.toReversed());
});

test('the owner renames and removes a device with the keyboard, and its token becomes invalid', async () => {
  let computer: Client | undefined;
  const { page } = await signIn(async (browser) => {
    computer = await add(browser, 'Office');
  });
  await page.getByRole('button', { name: 'Manage Office' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name of the device').fill('Front desk');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Manage Front desk' }).press('Enter');
  await page.getByRole('button', { name: 'Remove this device' }).press('Enter');
  await page.getByText('Remove Front desk?').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  await page.getByText('Front desk was removed.').waitFor();
  expect((await computer?.post('/computers/heartbeat', {}))?.status).toBe(401);
});

test('while the service is down the page keeps its data and shows the time of the last update', async () => {
  const { page, browser } = await signIn((known) => add(known, 'Front desk'));
  await page.getByText('Active now').waitFor();
  await page.route('**/computers', (route) => route.fulfill({ status: 503, body: 'no' }));
  await add(browser, 'Second');
  await page.getByText('What you see here is as of').waitFor();
  expect(await page.getByText('Active now').count()).toBe(1);
  await page.unroute('**/computers');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('What you see here is as of').waitFor({ state: 'detached' });
  expect(await page.getByText('Active now').count()).toBe(2);
});
