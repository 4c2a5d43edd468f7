import { expect, test } from 'vitest';
import { addComputer, register } from '../src/testing/people.ts';
import { signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** A signed-in page, and its owner's devices by their ids. */
async function open(path: string, names: readonly string[] = []) {
  const { email, browser } = await register(site.server);
  await browser.put('/additionally/way', { place: path });
  const ids: string[] = [];
  for (const name of names) ids.push((await addComputer(site.server, browser, name)).id);
  const page = await site.visit('/');
  await signIn(page, email);
  await page.waitForURL(`**${path}`);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  const field = page.getByRole('combobox', { name: 'Search' });
  const selected = page.getByRole('option', { selected: true });
  return { page, ids, field, selected };
}

test('Ctrl+K finds pages, devices and commands by their words, with the keyboard alone', async () => {
  const { page, ids, field, selected } = await open('/account/', ['Front desk', 'Büro Süd']);
  await page.keyboard.press('Control+k');
  await field.waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('combobox');
  await expect.poll(() => selected.innerText()).toBe('Dashboard');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => selected.innerText()).toBe('Sign out');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => selected.innerText()).toBe('Devices');
  const active = await field.getAttribute('aria-activedescendant');
  expect(await selected.getAttribute('id')).toBe(active);
  await page.keyboard.type('sud buro');
  await expect.poll(() => selected.innerText()).toBe('Büro Süd');
  await page.getByRole('status').filter({ hasText: '1 result' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/devices/${ids[1]}/`);
  await page.getByRole('heading', { level: 1, name: 'Büro Süd' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the palette changes theme and language, and Escape returns the focus', async () => {
  const { page, field } = await open('/account/security/');
  const opener = page.getByRole('button', { name: 'Search' });
  await opener.click();
  await field.fill('dark');
  await page.getByRole('option', { name: /Dark$/ }).click();
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  await opener.click();
  // In a search field, Chromium's first Escape would only empty it.
  await page.keyboard.type('li');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
  await opener.click();
  await field.fill('deutsch');
  await field.press('Enter');
  await page.waitForURL('**/de/account/security/');
});
