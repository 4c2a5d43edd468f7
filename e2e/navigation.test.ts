import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { addComputer, register } from '../src/testing/people.ts';
import { routeNext, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'vestibule-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const rules = join(folder, 'redirects.json');
writeFileSync(rules, JSON.stringify({ '/help/*': '/recovery/', '/recovery/': 'http://127.0.0.1:9/elsewhere' }));

const site = await openTestSite();
const ruled = await openTestSite({ REDIRECT_RULES: rules });

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

    test('waits for the next navigation while a form is being filled in', { tags: 'full' }, async () => {
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

  test('an absolute redirect rule navigates the whole window', { tags: 'full' }, async () => {
    const page = await ruled.visit('/');
    const left = page.waitForRequest('http://127.0.0.1:9/elsewhere');
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await left;
    // The port is closed, which the browser logs.
    page.removeAllListeners('console');
  });

  test('hovering over a link prefetches its page', { tags: 'full' }, async () => {
    const page = await site.visit('/');
    await page.waitForLoadState('networkidle');
    const payload = page.waitForRequest('**/register/_payload.json');
    await page.getByRole('link', { name: 'Create a free account' }).hover();
    await payload;
  });

  test('a part that fails to load never causes a reload loop, even if the browser forbids storage', {
    tags: 'full',
  }, async () => {
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

  test('a language opened in a new tab stays chosen, including English', { tags: 'full' }, async () => {
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

  describe('the language of the browser', { tags: 'full' }, () => {
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
  ])('the guard of %s looks for a session: %s', { tags: 'full' }, async (path, looks) => {
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

  test('a session hint hides the form for at most two seconds', { tags: 'full' }, async () => {
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

  test('a chosen theme survives a reload without a flash', { tags: 'full' }, async () => {
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

/** A signed-in page, and its owner's devices by their ids. */
async function openPalette(path: string, names: readonly string[] = []) {
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
  const { page, ids, field, selected } = await openPalette('/account/', ['Front desk', 'Büro Süd']);
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
  const { page, field } = await openPalette('/account/security/');
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
