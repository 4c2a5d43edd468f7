import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type LanguageCode, languages, pathIn } from '../src/contract/languages.ts';
import { register } from '../src/testing/people.ts';
import { bringEyes, lookClosely } from './readable.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ SUPPORT_EMAIL: 'support@example.com', PHONE_CONFIRMATION: 'required' });
const lenient = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

const at = (width: number, height: number, options: BrowserContextOptions = {}) => ({
  viewport: { width, height },
  ...options,
});

/** Opens a page of a new account, whose owner is signed in. */
async function signedIn(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { browser } = await register(lenient.server);
  return lenient.visit(path, { session: browser, ...options });
}

/** The background color, to compare elements. */
const ground = (one: Locator) => one.evaluate((element) => getComputedStyle(element).backgroundColor);

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
    await expect.poll(focused).toMatch(/^Search/);
    await page.keyboard.press('Escape');
    await account.waitFor({ state: 'hidden' });
    await expect.poll(focused).toBe('Menu');
    await menu.click();
    await account.click();
    await page.waitForURL('**/account/');
    await expect.poll(() => account.isVisible()).toBe(false);
  });
});

describe('registering', { tags: 'full' }, () => {
  test('has the button for the call beside the number', async () => {
    const page = await site.visit('/register/', at(1280, 800));
    const [number, call] = [page.getByLabel('Phone number'), page.getByRole('button', { name: 'Call me' })];
    expect((await call.boundingBox())?.y).toBe((await number.boundingBox())?.y);
  });

  test.each([
    ['no-preference', 1],
    ['reduce', 0],
  ] as const)(
    'while the phone rings, a light pulses unless the user prefers reduced motion (%s: %d)',
    async (reducedMotion, moving) => {
      const page = await site.visit('/register/', { reducedMotion });
      await page.getByLabel('Phone number').fill(`+1 202 555 013${moving}`);
      await page.getByRole('button', { name: 'Call me' }).click();
      await page.getByText('Calling +1').waitFor();
      // Count endless animations only, not transitions between states.
      const endless = () =>
        document
          .getAnimations()
          .filter(({ effect }) => effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY).length;
      await expect.poll(() => page.evaluate(endless)).toBe(moving);
    },
  );
});

test.each([
  ['the error summary', 'register/nothing-typed', '[aria-labelledby=problem] a'],
  ['the dashboard', 'dashboard/devices-in-one-line', 'main a'],
])('on a phone, each link of %s is as high as a finger', { tags: 'full' }, async (_, state, links) => {
  const page = await site.visit('/', at(320, 800, { hasTouch: true, isMobile: true }));
  await page.goto(
    `${site.origin}/dev/gallery/stage/?${new URLSearchParams({ state, language: 'en', theme: 'light' })}`,
  );
  await page.locator('html[data-staged]').waitFor({ state: 'attached' });
  const heights = await page
    .locator(links)
    .filter({ visible: true })
    // Of many links, a whole line is the target, which their `::after` covers.
    .evaluateAll((all) =>
      all.map((link) => {
        const line = Number.parseFloat(getComputedStyle(link, '::after').height) || 0;
        return Math.round(Math.max(line, link.getBoundingClientRect().height));
      }),
    );
  expect(heights.length).toBeGreaterThan(5);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
});

describe('the heading stays where it is', { tags: 'full' }, () => {
  const languages: readonly LanguageCode[] = ['en', 'ar', 'ja'];
  const sizes = [
    [1280, 800],
    [2560, 1440],
    [768, 1024],
    [390, 844],
  ] as const;

  test.each(languages)('from sign-in to recovery and reset, in %s', async (language) => {
    const page = await site.visit(pathIn(language, '/'));
    const places = await startsOf(page);
    for (const path of ['/recovery/', '/reset-password/?email=a@b.example&hash=none']) {
      await page.goto(site.origin + pathIn(language, path));
      await page.locator('html[data-alive]').waitFor();
      // An expired link gets another heading once the server has responded.
      await expect.poll(() => startsOf(page)).toEqual(places);
    }
  });

  /** The position of the heading at each size. */
  async function startsOf(page: Page) {
    const places: unknown[] = [];
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      places.push({ width, ...(await startOf(page)) });
    }
    return places;
  }

  /** The position of the heading's start, in its language's direction. */
  const startOf = (page: Page) =>
    page.evaluate(() => {
      const { left, right, top } = (document.querySelector('h1') as HTMLElement).getBoundingClientRect();
      return { start: document.dir === 'rtl' ? innerWidth - right : left, top };
    });
});

describe('the frame for signed-in users, at every width', { tags: 'full' }, () => {
  const widths = [320, 390, 560, 768, 959, 960, 1280, 2560];
  const languages: readonly LanguageCode[] = ['en', 'de', 'el', 'ru', 'fr', 'ar', 'ja'];

  test('one row above the page, or a panel beside it', async () => {
    const page = await signedIn('/dashboard/');
    for (const language of languages) {
      await page.goto(lenient.origin + pathIn(language, '/dashboard/'));
      await page.locator('h1').waitFor();
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        const isWide = width >= 960;
        expect({ language, width, ...(await page.evaluate(measureFrame)) }).toEqual({
          language,
          width,
          oneRow: !isWide,
          panel: isWide,
          sideways: 0,
          cut: [],
        });
      }
      if (language !== 'en' && language !== 'ar') continue;
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%';
      });
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => page.evaluate(measureFrame)).toMatchObject({ sideways: 0, cut: [] });
      }
    }
  });

  test.each(['', 'security/', 'sessions/', 'notifications/', 'privacy/'])(
    'on a phone with text twice as large, short words of /account/%s stay whole',
    async (place) => {
      const page = await signedIn(`/de/account/${place}`, at(320, 800));
      const browser = await page.context().newCDPSession(page);
      await browser.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
      await page.locator('main h2, main label').first().waitFor();
      await expect.poll(() => page.evaluate(() => innerWidth - document.documentElement.scrollWidth)).toBe(0);
      expect(await page.evaluate(brokenWords)).toEqual([]);
    },
  );

  /** Runs in the page. This Chromium has no hyphens, so long words break anywhere. */
  function brokenWords() {
    const texts = document.createTreeWalker(document.querySelector('main') as Node, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const broken: string[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const { 0: word, index } of (text as Text).data.matchAll(/(?<![\p{L}-])\p{L}{2,6}(?![\p{L}-])/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => top));
        const isShown = text.parentElement?.checkVisibility() && !text.parentElement.closest('bdi');
        if (isShown && lines.size > 1) broken.push(word);
      }
    }
    return broken;
  }

  test('in forced colors the current page differs from the others', async () => {
    const page = await signedIn('/dashboard/', { forcedColors: 'active' });
    const border = (name: string) =>
      page
        .getByRole('navigation')
        .getByRole('link', { name })
        .evaluate((link) => getComputedStyle(link).borderTopColor);
    expect(await border('Dashboard')).not.toBe(await border('Account'));
  });

  function measureFrame() {
    const bar = document.querySelector('header > :last-child')?.getBoundingClientRect();
    const main = document.querySelector('main')?.getBoundingClientRect();
    const panel = document.querySelector('header [popover]') as HTMLElement;
    const beside =
      document.dir === 'rtl' ? bar && main && bar.left >= main.right : bar && main && bar.right <= main.left;
    const words = [...panel.querySelectorAll('nav a, button')].filter((element) => element.checkVisibility());
    return {
      oneRow: (bar?.height ?? 999) <= 66 && (main?.top ?? 0) >= (bar?.bottom ?? 999) - 1,
      panel: panel.checkVisibility() && beside === true && words.length > 4,
      sideways: document.documentElement.scrollWidth - innerWidth,
      cut: words
        .filter((element) => element.scrollWidth > element.clientWidth + 1)
        .map(({ textContent }) => textContent),
    };
  }
});

test('menus that wrap below the logo with large text stay at the end of the line', { tags: 'full' }, async () => {
  const page = await site.visit('/register/', at(390, 844));
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  const gaps = await page.evaluate(() => {
    const bar = document.querySelector('header > :last-child') as HTMLElement;
    const [logo, menus] = [bar.children[0], bar.children[1]].map((element) => element?.getBoundingClientRect());
    const last = [...bar.querySelectorAll('[popovertarget] svg')].at(-1)?.getBoundingClientRect();
    return { below: (menus?.top ?? 0) >= (logo?.bottom ?? 0), start: logo?.left, end: innerWidth - (last?.right ?? 0) };
  });
  expect(gaps.below).toBe(true);
  expect(Math.abs((gaps.start ?? 0) - gaps.end)).toBeLessThan(12);
});

test('icons grow with the text', { tags: 'full' }, async () => {
  const page = await lenient.visit('/');
  const widths = () =>
    page.locator('svg:visible').evaluateAll((all) => all.map((icon) => icon.getBoundingClientRect().width));
  const usual = await widths();
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  const large = await widths();
  const icons = usual.flatMap((width, at) => (width < 40 ? [[width, large[at]]] : []));
  expect(icons.length).toBeGreaterThan(2);
  for (const [before = 0, after = 0] of icons) expect(after).toBe(before * 2);
});

test.each([
  ['/favicon.ico', 'image/x-icon'],
  ['/apple-touch-icon.png', 'image/png'],
])('%s is the logo', { tags: 'full' }, async (path, type) => {
  const page = await lenient.visit('/');
  const icon = await page.request.get(lenient.origin + path);
  expect([icon.status(), icon.headers()['content-type']]).toEqual([200, type]);
  const size = await page.evaluate(async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image.naturalWidth;
  }, path);
  expect(size).toBeGreaterThanOrEqual(48);
});

test('in forced colors the primary button still differs from the others', { tags: 'full' }, async () => {
  const page = await site.visit('/register/', { forcedColors: 'active' });
  const [primary, quiet] = [
    page.getByRole('button', { name: 'Create account' }),
    page.getByRole('button', { name: 'Call me' }),
  ];
  expect(await ground(primary)).not.toBe(await ground(quiet));
});

const pathsOf = (kind: 'open' | 'account') =>
  lenient.server.pages.filter((page) => page.kind === kind && page.language === 'en').map(({ path }) => path);
const openPaths = [...pathsOf('open'), '/nothing/here/'];
const accountPaths = pathsOf('account');
const appearances = (['light', 'dark'] as const).flatMap((theme) => [320, 1280].map((width) => ({ theme, width })));

/** Looks at a page in one language and appearance. Every language and appearance has its turn. */
async function lookAt(page: Page, path: string): Promise<string[]> {
  const at = [...openPaths, ...accountPaths].indexOf(path);
  const { code } = languages[at % languages.length] as (typeof languages)[number];
  // Shifted by one each round, so that a language gets another appearance.
  const { theme, width } = appearances[
    (at + Math.floor(at / languages.length)) % appearances.length
  ] as (typeof appearances)[number];
  await page.emulateMedia({ colorScheme: theme });
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 640 });
  await page.goto(lenient.origin + pathIn(code, path));
  await page.locator('html[data-alive]').waitFor();
  const { found } = await lookClosely(page, code);
  return found.map((finding) => `${pathIn(code, path)} ${theme} ${width}: ${finding}`);
}

test('every screen is readable and accessible, each in one language, theme and width', async () => {
  const page = await lenient.visit('/', { prepare: bringEyes });
  const found: string[] = [];
  for (const path of openPaths) found.push(...(await lookAt(page, path)));
  const { browser } = await register(lenient.server);
  await lenient.shareSession(browser, page);
  for (const path of accountPaths) found.push(...(await lookAt(page, path)));
  expect(found).toEqual([]);
  expect(openPaths.length).toBeGreaterThan(10);
  expect(accountPaths.length).toBeGreaterThan(10);
});
