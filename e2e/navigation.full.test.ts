import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestSite } from './test-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'vestibule-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const rules = join(folder, 'redirects.json');
writeFileSync(rules, JSON.stringify({ '/help/*': '/recovery/', '/recovery/': 'http://127.0.0.1:9/elsewhere' }));

const site = await openTestSite();
const ruled = await openTestSite({ REDIRECT_RULES: rules });

describe('navigation', () => {
  test('an absolute redirect rule navigates the whole window', async () => {
    const page = await ruled.visit('/');
    const left = page.waitForRequest('http://127.0.0.1:9/elsewhere');
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await left;
    // The port is closed, which the browser logs.
    page.removeAllListeners('console');
  });

  test('hovering over a link prefetches its page', async () => {
    const page = await site.visit('/');
    await page.waitForLoadState('networkidle');
    const payload = page.waitForRequest('**/register/_payload.json');
    await page.getByRole('link', { name: 'Create a free account' }).hover();
    await payload;
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

    test('waits for the next navigation while a form is being filled in', async () => {
      const page = await openWithNewBuild();
      await page.getByLabel('Email', { exact: true }).fill('a@example.com');
      const found = page.waitForResponse('**/builds/meta/newer.json');
      await page.clock.runFor(120_000);
      await (await found).finished();
      expect(await isUntouched(page)).toBe(true);
      await page.getByRole('link', { name: 'Forgot password' }).click();
      await page.waitForURL('**/recovery/');
      expect(await isUntouched(page)).toBe(false);
    });
  });

  test('a part that fails to load never causes a reload loop, even if the browser forbids storage', async () => {
    const page = await site.visit('/');
    page.removeAllListeners('console');
    await page.addInitScript(() => {
      const forbid = () => {
        throw new DOMException('forbidden', 'SecurityError');
      };
      Object.defineProperty(window, 'sessionStorage', { get: forbid });
    });
    await page.route('**/assets/recovery.screen*', (route) => route.abort());
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.goto(`${site.origin}/recovery/`);
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    expect(loads).toBe(2);
  });

  test('a language opened in a new tab stays chosen, including English', async () => {
    const page = await site.visit('/de/', { locale: 'de-DE' });
    await page.getByRole('button', { name: /Sprache/ }).click();
    const link = page.getByRole('link', { name: 'English' });
    await link.hover();
    // The new tab sends its request as soon as the button is released.
    await page.mouse.down({ button: 'middle' });
    const tab = await page.context().newPage();
    await tab.goto(new URL((await link.getAttribute('href')) ?? '', page.url()).href);
    await tab.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    expect(tab.url()).toBe(`${site.origin}/`);
    await expect.poll(() => page.url()).toBe(`${site.origin}/de/`);
  });

  describe('the language of the browser', () => {
    const stored = (page: Page) => page.evaluate(() => localStorage.getItem('locale'));

    test('is remembered when the server detects it', async () => {
      const german = await site.visit('/', { locale: 'de-DE' });
      await expect.poll(() => stored(german)).toBe('de');
      const english = await site.visit('/');
      await expect.poll(() => stored(english)).toBe('en');
      expect(await stored(await site.visit('/fr/', { locale: 'de-DE' }))).toBeNull();
    });

    test.each(['ja', 'en'])('gives way to the remembered one if the cookie is missing: %s', async (remembered) => {
      const page = await site.visit('/fr/', { locale: 'de-DE' });
      await page.evaluate((code) => localStorage.setItem('locale', code), remembered);
      await page.goto(`${site.origin}/?x=1`);
      await page.locator(`html[lang=${remembered}][data-alive]`).waitFor();
      await expect.poll(() => page.url()).toBe(`${site.origin}${remembered === 'en' ? '' : `/${remembered}`}/?x=1`);
      const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'i18n_redirected');
      expect(cookie?.value).toBe(remembered);
      // The prefix of a link counts more.
      await page.goto(`${site.origin}/it/`);
      await page.locator('html[lang=it][data-alive]').waitFor();
      expect(await stored(page)).toBe(remembered);
    });

    test('shows the page even if the browser blocks cookies and remembers English', async () => {
      const block = () =>
        Object.defineProperty(document, 'cookie', { get: () => '', set: () => undefined, configurable: true });
      const page = await site.visit('/fr/', { locale: 'de-DE', prepare: (tab) => tab.addInitScript(block) });
      await page.evaluate(() => localStorage.setItem('locale', 'en'));
      await page.context().clearCookies();
      await page.goto(`${site.origin}/`);
      await page.locator('html[data-alive]').waitFor();
    });
  });

  test.each([
    ['/', true],
    ['/recovery/', true],
    ['/reset-password/', false],
    ['/confirm-mail/', false],
    ['/change-email/', false],
  ])('the guard of %s looks for a session: %s', async (path, looks) => {
    let refreshes = 0;
    const page = await site.visit(path, {
      async prepare(fresh) {
        await fresh.context().addCookies([{ name: 'session_hint', value: '1', url: site.origin }]);
        await fresh.route('**/auth/refresh', (route) => {
          refreshes += 1;
          return route.continue();
        });
      },
    });
    if (looks) return expect.poll(() => refreshes).toBeGreaterThan(0);
    await page.waitForLoadState('networkidle');
    expect(refreshes).toBe(0);
  });

  test('a session hint hides the form for at most two seconds', async () => {
    const page = await site.visit('/');
    await page.context().addCookies([{ name: 'session_hint', value: '1', url: site.origin }]);
    await page.route('**/auth/refresh', () => undefined);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.reload();
    const form = page.getByLabel('Email', { exact: true });
    await form.waitFor({ state: 'attached' });
    await page.clock.runFor(1900);
    await expect.poll(() => form.isVisible()).toBe(false);
    await page.clock.runFor(100);
    await form.waitFor();
  });

  test('a chosen theme survives a reload without a flash', async () => {
    const page = await site.visit('/', { colorScheme: 'light' });
    const dark = page.getByRole('button', { name: 'Dark', exact: true });
    await page.getByRole('button', { name: 'Appearance' }).click();
    await dark.hover();
    // The menu closes soon after the pointer has left it.
    await page.getByRole('heading', { level: 1 }).hover();
    await dark.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Appearance' }).click();
    await dark.click();
    // Record the theme when there is first something to paint.
    await page.addInitScript(() => {
      const first = new MutationObserver(() => {
        if (!document.body) return;
        first.disconnect();
        sessionStorage.setItem('test.theme', document.documentElement.dataset.theme ?? 'none');
      });
      first.observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('test.theme'))).toBe('dark');
  });
});
