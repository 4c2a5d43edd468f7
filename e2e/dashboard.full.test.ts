import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { days, hours } from '../src/contract/units.ts';
import { addComputer as storeComputer } from '../src/devices/store/computers.ts';
import type { Client } from '../src/testing/client.ts';
import { addComputer } from '../src/testing/people.ts';
import { openDashboard, report } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const add = async (browser: Client, name: string) => (await addComputer(site.server, browser, name)).computer;

/** Fails requests for the devices until a key or the pointer is pressed: the page also retries by itself, but in vain. */
async function failUntilInput(page: Page, fail: (route: Route) => Promise<void>): Promise<void> {
  const listen = () => {
    for (const type of ['keydown', 'pointerdown'])
      addEventListener(type, () => Object.assign(window, { pressed: true }), true);
  };
  await page.addInitScript(listen);
  await page.evaluate(listen);
  await page.route('**/computers', async (route) =>
    (await page.evaluate(() => 'pressed' in window)) ? route.continue() : fail(route),
  );
}

test('a retry after a failed load moves the focus to the page’s heading', async () => {
  const { page } = await openDashboard(site);
  page.removeAllListeners('console');
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  await failUntilInput(page, (route) => route.abort('connectionreset'));
  await page.reload();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await again.press('Enter');
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Hello, /);
});

/** Inserts a computer directly, since the rate limit of codes allows too few in an hour. */
const enrolled = (account_id: string, name: string) =>
  site.server.store.transaction().execute((trx) =>
    storeComputer(trx, {
      id: name,
      account_id,
      name,
      platform: 'linux',
      token_hash: name,
      created_at: site.server.now(),
      last_seen_at: site.server.now(),
      signs: '',
    }),
  );

test('sixty devices fit on a screen as tiles, and any of them is found by search or in a table', async () => {
  const { page } = await openDashboard(site, async (owner) => {
    const { id } = (await owner.get('/account')).body;
    const names = ['Zoë’s phone', ...Array.from({ length: 59 }, (_, at) => `PC ${at + 1}`)];
    await Promise.all(names.map((name) => enrolled(id, name)));
  });
  await page.setViewportSize({ width: 1280, height: 900 });
  const devices = page.getByRole('link', { name: /^PC|^Zoë/ });
  await expect.poll(() => devices.count()).toBe(60);
  await devices.first().hover();
  await page.getByText('Active now').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Active now').first().waitFor({ state: 'hidden' });
  const [first, last] = [await devices.first().boundingBox(), await devices.last().boundingBox()];
  expect((last?.y ?? 9999) - (first?.y ?? 0)).toBeLessThan(800);
  // Below the development banner and the request to confirm the address.
  expect(first?.y).toBeLessThan(420);
  // On a phone, they follow the menu and the request to confirm the address.
  await page.setViewportSize({ width: 320, height: 640 });
  const above = await page.getByRole('heading', { name: 'Devices' }).boundingBox();
  await expect.poll(async () => ((await devices.first().boundingBox())?.y ?? 9999) - (above?.y ?? 0)).toBeLessThan(160);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Compact view' }).click();
  await page.waitForURL('**/dashboard/?view=table');
  await expect.poll(() => devices.count()).toBe(50);
  await page.getByRole('button', { name: 'Show 10 more' }).press('Enter');
  await expect.poll(() => devices.count()).toBe(60);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('PC 51');
  const find = page.getByRole('searchbox', { name: 'Find a device' });
  await find.fill('zoe linux');
  await page.getByRole('status').getByText('1 device found').waitFor();
  await expect.poll(() => devices.allInnerTexts()).toEqual(['Zoë’s phone']);
  // The address keeps the search.
  await page.waitForURL('**/dashboard/?view=table&find=zoe+linux');
  await page.reload();
  await expect.poll(() => devices.allInnerTexts()).toEqual(['Zoë’s phone']);
  await find.fill('mac');
  await page.getByText('No devices found').waitFor();
});

test('of a thousand devices the page draws only the first ones, and a screen on a wall shows all', async () => {
  const { page, browser } = await openDashboard(site, async (owner) => {
    const { id } = (await owner.get('/account')).body;
    for (let at = 1; at <= 1000; at += 1) await enrolled(id, `Machine ${at}`);
  });
  await page.getByText('1,000 devices').first().waitFor();
  const machines = page.getByRole('link', { name: /^Machine/ });
  await expect.poll(() => machines.count()).toBe(120);
  await page.goto(`${site.origin}/devices/`);
  await page.getByText('1,000 devices').first().waitFor();
  await expect.poll(() => machines.count()).toBe(50);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto(`${site.origin}/dashboard/wall/`);
  await expect.poll(() => machines.count()).toBe(1000);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(1080);
  expect(await page.getByRole('navigation').count()).toBe(0);
  // It renews itself.
  await browser.send('DELETE', '/computers/Machine%207', {});
  await expect.poll(() => machines.count()).toBe(999);
});

test('a silent device leads to its page, and records can be filtered and paged back to the oldest', async () => {
  const { page } = await openDashboard(site, async (browser) => {
    const [silent, busy] = [await add(browser, 'Silent'), await add(browser, 'Busy')];
    await report(site, silent, 'door');
    site.server.forward(hours(2));
    for (let time = 0; time < 5; time += 1)
      await report(site, busy, ...Array.from({ length: 30 }, () => 'network_back'));
  });
  await page.getByText('Silent, last seen: 2 hours ago').first().waitFor();
  await page.getByRole('listitem').getByRole('link', { name: 'Silent' }).first().click();
  await page.getByRole('heading', { name: 'Silent', level: 1 }).waitFor();
  await expect.poll(() => page.title()).toBe('Silent – Vestibule');
  const records = page.locator('ol > li');
  await expect.poll(() => records.allInnerTexts()).toEqual([expect.stringContaining('Door As the device wrote it.')]);
  await page.getByRole('link', { name: 'All records' }).click();
  await page.waitForURL(/\/records\/\?device=/);
  await expect.poll(() => records.allInnerTexts()).toEqual([expect.stringContaining('Door As the device wrote it.')]);
  await page.getByLabel('Device').selectOption('');
  await expect.poll(() => records.count()).toBe(100);
  await page.getByRole('link', { name: 'Show older' }).press('Enter');
  await expect.poll(() => records.count()).toBe(51);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Records');
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  await expect.poll(() => page.getByRole('link', { name: 'Show older' }).count()).toBe(0);
  await page.goBack();
  await expect.poll(() => records.count()).toBe(100);
  await page.getByLabel('Record type').selectOption({ label: 'Stopped' });
  await page.getByText('No records match these filters.').waitFor();
  await page.waitForURL('**/records/?kind=stop');
  // A phone shows the number of active filters, and the filters on demand.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByLabel('Record type').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Filters 1' }).press('Enter');
  await page.getByLabel('Record type').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await page.waitForURL('**/records/');
  await expect.poll(() => records.count()).toBe(100);
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
  // Words of the texts and of the names of kinds, also beyond what is shown.
  await page.getByLabel('Search', { exact: true }).fill('wrote door');
  await page.waitForURL('**/records/?find=wrote+door');
  await expect.poll(() => records.count()).toBe(1);
  await page.getByLabel('Search', { exact: true }).fill('network BACK');
  await expect.poll(() => records.count()).toBe(100);
  await page.getByLabel('Search', { exact: true }).fill('nowhere');
  await page.getByText('No records match these filters.').waitFor();
});

test('of many silent devices the page names the first few, and the others on demand', async () => {
  const { page } = await openDashboard(site, async (browser) => {
    for (let place = 1; place <= 20; place += 1) await add(browser, `PC ${place}`);
    site.server.forward(hours(2));
  });
  const wanting = page.locator('section').filter({ hasText: 'Needs attention' });
  const silent = wanting.getByRole('listitem').getByText('Silent, last seen: 2 hours ago');
  await page.getByRole('button', { name: 'Show 17 more' }).press('Enter');
  await expect.poll(() => silent.count()).toBe(20);
  await expect.poll(() => silent.nth(3).evaluate((line) => line.closest('li') === document.activeElement)).toBe(true);
});

test('records that arrive late appear in their place, and pages neither lose nor repeat a record', async () => {
  let computer: Client | undefined;
  const expected: { at: number; text: string }[] = [];
  async function write(count: number, at: number): Promise<void> {
    const records = Array.from({ length: count }, (_, place) => {
      const text = `No. ${expected.length + place}`;
      return { id: text, at: at + place, kind: 'door', text };
    });
    expected.push(...records);
    expect((await computer?.post('/computers/records', { records }))?.status).toBe(202);
  }
  const start = site.server.now() - hours(5);
  const { page } = await openDashboard(site, async (browser) => {
    computer = await add(browser, 'Office');
    for (let batch = 0; batch < 3; batch += 1) await write(100, start + batch * 1000);
  });
  await page.goto(`${site.origin}/records/`);
  const rows = page.locator('ol > li');
  const shown = () => rows.evaluateAll((all) => all.map((row) => row.lastElementChild?.textContent));
  const wanted = () => expected.toSorted((one, other) => other.at - one.at).map(({ text }) => `Door ${text}`);
  await expect.poll(shown).toEqual(wanted().slice(0, 100));
  // Ninety records between the first and the second page, and ten older than all others, as from an agent that was offline.
  await write(90, start + 1900);
  await write(10, start - 1000);
  await expect.poll(shown).toEqual(wanted().slice(0, 100));
  for (let at = 100; at < 400; at += 100) {
    await page.getByRole('link', { name: 'Show older' }).click();
    await expect.poll(shown).toEqual(wanted().slice(at, at + 100));
  }
  await expect.poll(() => page.getByRole('link', { name: 'Show older' }).count()).toBe(0);
  await write(5, start - 500);
  // The server's clock may be days ahead of the browser's, for which this day must have no other name.
  await write(1, start - days(9));
  await expect.poll(shown).toEqual(wanted().slice(300, 400));
  await page.getByRole('link', { name: 'Show older' }).click();
  await expect.poll(shown).toEqual(wanted().slice(400));
  const day = await page.evaluate(
    (at) => new Date(at).toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric' }),
    start - days(9),
  );
  await expect.poll(() => page.locator('section:has(> ol) > h2').last().textContent()).toContain(day);
  await page.getByRole('link', { name: 'Show newest' }).click();
  await expect.poll(shown).toEqual(wanted().slice(0, 100));
});

test('the selected records are downloaded whole, without formulas', async () => {
  const { page } = await openDashboard(site, async (browser) => {
    const office = await add(browser, '=Office');
    const newest = site.server.now() - hours(1);
    for (let batch = 0; batch < 3; batch += 1)
      await office.post('/computers/records', {
        records: Array.from({ length: 100 }, (_, at) => ({
          id: `${batch} ${at}`,
          at: newest - batch * 1000 - at,
          kind: 'door',
          text: `@SUM ${batch} ${at}`,
        })),
      });
    await report(site, await add(browser, 'Other'), 'start');
  });
  await page.goto(`${site.origin}/records/?kind=door`);
  await page.locator('ol > li').nth(99).waitFor();
  const fileOf = async (name: string): Promise<string> => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('button', { name }).click();
    const stream = await (await download).createReadStream();
    let text = '';
    for await (const part of stream) text += part;
    return text;
  };
  const csv = (await fileOf('Download as CSV')).split('\r\n');
  expect(csv).toHaveLength(302);
  expect(csv[1]).toContain(`"'=Office","door","'@SUM 0 0"`);
  const lines = (await fileOf('Download as JSON Lines')).trim().split('\n');
  expect(lines).toHaveLength(300);
  expect(JSON.parse(lines[299] ?? '')).toMatchObject({ device: '=Office', kind: 'door', text: '@SUM 2 99' });
});

test('the owner renames and removes a device with the keyboard, and its token becomes invalid', async () => {
  let computer: Client | undefined;
  const { page } = await openDashboard(site, async (browser) => {
    computer = await add(browser, 'Office');
  });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.getByRole('row').getByRole('link', { name: 'Office' }).press('Enter');
  await page.getByRole('heading', { name: 'Office', level: 1 }).waitFor();
  // It was added a moment ago, so both charts count from then.
  await expect
    .poll(() => page.getByText('Active 100% of the time since it was added', { exact: true }).count())
    .toBe(2);
  await page.getByRole('button', { name: 'Rename' }).press('Enter');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect.poll(focused).toBe('Rename');
  await page.keyboard.press('Enter');
  await page.getByLabel('Device name').fill('Front desk');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Front desk', level: 1 }).waitFor();
  await page.getByRole('status').getByText('Saved.').waitFor();
  await expect.poll(focused).toBe('Rename');
  await page.getByRole('button', { name: 'Remove' }).press('Enter');
  await page.getByText('Remove Front desk?').waitFor();
  await expect.poll(focused).toBe('Keep');
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('Remove');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove this device' }).press('Enter');
  await page.waitForURL('**/devices/');
  await page.getByText('Front desk was removed.').waitFor();
  await expect.poll(focused).toBe('Devices');
  await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
  expect((await computer?.post('/computers/heartbeat', {}))?.status).toBe(401);
});

test('the page of a device that is gone says so, without a jump or an error, and requests nothing more', async () => {
  const { page, browser } = await openDashboard(site, (known) => add(known, 'Office'));
  await page.getByRole('row').getByRole('link', { name: 'Office' }).click();
  await page.getByRole('heading', { name: 'Office', level: 1 }).waitFor();
  const [office] = (await browser.get('/computers')).body.computers;
  await browser.send('DELETE', `/computers/${office.id}`, {});
  await page.getByText('This device isn’t in your account.').waitFor();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await add(browser, 'Second');
  await page.getByRole('link', { name: 'All devices' }).click();
  await page.getByRole('row').getByRole('link', { name: 'Second' }).waitFor();
  expect(requested.filter((url) => url.includes(office.id))).toEqual([]);
  await page.goto(`${site.origin}/de/devices/unknown/`);
  await page.getByText('gehört nicht zu Ihrem Konto').waitFor();
  await expect
    .poll(() => page.locator('link[rel=canonical]').getAttribute('href'))
    .toBe(`${site.origin}/de/devices/unknown/`);
});

test('while the service is down the page keeps its data and shows the time of the last update', async () => {
  const { page, browser } = await openDashboard(site, (known) => add(known, 'Front desk'));
  const active = page.getByRole('cell').getByText('Active now');
  await active.waitFor();
  await failUntilInput(page, (route) => route.fulfill({ status: 503, body: 'no' }));
  await add(browser, 'Second');
  await page.getByText('Last updated:').waitFor();
  await expect.poll(() => active.count()).toBe(1);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Last updated:').waitFor({ state: 'detached' });
  await expect.poll(() => active.count()).toBe(2);
});
