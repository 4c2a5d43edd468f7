import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { routeNext } from './route-next.ts';
import { openTestSite } from './test-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'vestibule-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const rules = join(folder, 'redirects.json');
writeFileSync(rules, JSON.stringify({ '/help/*': '/recovery/', '/recovery/': 'http://127.0.0.1:9/elsewhere' }));

const site = await openTestSite();

describe('navigation', () => {
  test('an unknown address shows a page with its path and a way to continue', async () => {
    const page = await site.visit('/de/nirgendwo/?x=1');
    await page.getByText('/de/nirgendwo/').first().waitFor();
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByRole('main').getByRole('link').first().click();
    await page.waitForURL('**/de/');
  });

  test('Back restores the page, its scroll position and its title', async () => {
    const page = await site.visit('/register/', { viewport: { width: 1000, height: 400 } });
    await page.evaluate(() => scrollTo(0, 300));
    await page.getByRole('link', { name: 'Sign in' }).evaluate((link: HTMLElement) => link.click());
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    await expect.poll(() => page.title()).toBe('Sign in – Vestibule');
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await page.getByRole('heading', { name: 'Create a free account' }).waitFor();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(300);
    await expect.poll(() => page.title()).toBe('Create a free account – Vestibule');
  });

  describe('a new build', () => {
    const openWithNewBuild = async () => {
      const page = await site.visit('/');
      await page.route('**/builds/latest.json', (route) => route.fulfill({ json: { id: 'newer' } }));
      await page.route('**/builds/meta/newer.json', (route) => route.fulfill({ json: { id: 'newer', timestamp: 0 } }));
      await page.clock.install();
      await page.reload();
      await page.locator('html[data-alive]').waitFor();
      await page.evaluate(() => Object.assign(window, { untouched: true }));
      return page;
    };
    const isUntouched = (page: Page) => page.evaluate(() => 'untouched' in window);

    test('reloads a page without typed text, but a failed request for the manifest is only logged', async () => {
      const page = await openWithNewBuild();
      page.removeAllListeners('console');
      await routeNext(page, '**/builds/latest.json', (route) => route.fulfill({ status: 500 }));
      const logged = page.waitForEvent('console', (message) => message.text().startsWith('no build manifest'));
      await page.clock.runFor(60_000);
      await logged;
      expect(await isUntouched(page)).toBe(true);
      const reloaded = page.waitForEvent('load');
      await page.clock.runFor(120_000);
      await reloaded;
      expect(await isUntouched(page)).toBe(false);
    });
  });

  test('a part that fails to load reloads the page once, then shows an error', async () => {
    const page = await site.visit('/');
    await page.waitForLoadState('networkidle');
    page.removeAllListeners('console');
    await page.route('**/assets/recovery.screen*', (route) => route.abort());
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    expect(loads).toBe(1);
  });

  test('without JavaScript a page is readable and says that it needs JavaScript', async () => {
    const page = await site.visit('/de/', { javaScriptEnabled: false });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('noscript p').textContent()).toContain('JavaScript');
    expect((await page.locator('noscript p').boundingBox())?.height).toBeGreaterThan(20);
  });
});
