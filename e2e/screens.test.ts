import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { languages, pathIn } from '../src/contract/languages.ts';
import { register } from '../src/testing/people.ts';
import { bringEyes, lookClosely } from './readable.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

const pathsOf = (kind: 'open' | 'account') =>
  site.server.pages.filter((page) => page.kind === kind && page.language === 'en').map(({ path }) => path);
const open = [...pathsOf('open'), '/nothing/here/'];
const signedIn = pathsOf('account');
const appearances = (['light', 'dark'] as const).flatMap((theme) => [320, 1280].map((width) => ({ theme, width })));

/** Looks at a page in one language and appearance. Every language and appearance has its turn. */
async function lookAt(page: Page, path: string): Promise<string[]> {
  const at = [...open, ...signedIn].indexOf(path);
  const { code } = languages[at % languages.length] as (typeof languages)[number];
  // Shifted by one each round, so that a language gets another appearance.
  const { theme, width } = appearances[
    (at + Math.floor(at / languages.length)) % appearances.length
  ] as (typeof appearances)[number];
  await page.emulateMedia({ colorScheme: theme });
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 640 });
  await page.goto(site.origin + pathIn(code, path));
  await page.locator('html[data-alive]').waitFor();
  const { found } = await lookClosely(page, code);
  return found.map((finding) => `${pathIn(code, path)} ${theme} ${width}: ${finding}`);
}

test('every screen is readable and accessible, each in one language, theme and width', async () => {
  const page = await site.visit('/', { prepare: bringEyes });
  const found: string[] = [];
  for (const path of open) found.push(...(await lookAt(page, path)));
  const { browser } = await register(site.server);
  await site.shareSession(browser, page);
  for (const path of signedIn) found.push(...(await lookAt(page, path)));
  expect(found).toEqual([]);
  expect(open.length).toBeGreaterThan(10);
  expect(signedIn.length).toBeGreaterThan(10);
});
