import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

const at = (width: number, height: number, options: BrowserContextOptions = {}) => ({
  viewport: { width, height },
  ...options,
});

describe('for signed-in users', () => {
  test('nothing moves while a page loads, at any width', async () => {
    for (const width of [320, 1280]) {
      const page = await signedIn('/dashboard/', at(width, 800));
      await page.getByRole('heading', { name: 'Hello, ' }).waitFor();
      await page.getByRole('heading', { name: 'No computers yet' }).waitFor();
      const shifts = await page.evaluate(
        () =>
          new Promise<unknown[]>((resolve) => {
            const read = (list: PerformanceObserverEntryList) =>
              resolve(list.getEntries().map((entry) => ('value' in entry ? entry.value : entry.name)));
            new PerformanceObserver(read).observe({ type: 'layout-shift', buffered: true });
            setTimeout(resolve, 1000, []);
          }),
      );
      expect({ width, shifts }).toEqual({ width, shifts: [] });
    }
  });

  test('on a phone the menu opens with the keyboard, names the user, and closes on Escape', async () => {
    const page = await signedIn('/dashboard/', at(320, 640));
    const menu = page.getByRole('button', { name: 'Menu' });
    const account = page.getByRole('navigation').getByRole('link', { name: 'Account' });
    await menu.focus();
    await expect.poll(() => account.isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await account.waitFor();
    await page.getByRole('banner').getByText('Anna Berg').waitFor();
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe('Dashboard');
    await page.keyboard.press('Escape');
    await account.waitFor({ state: 'hidden' });
    await expect.poll(focused).toBe('Menu');
    await menu.click();
    await account.click();
    await page.waitForURL('**/account/');
    await expect.poll(() => account.isVisible()).toBe(false);
  });
});

/** Opens a page of a new account, whose owner is signed in. */
async function signedIn(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { browser } = await register(site.server);
  return site.visit(path, { session: browser, ...options });
}
