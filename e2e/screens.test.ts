import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type LanguageCode, languages, pathIn } from '../src/contract/languages.ts';
import { register } from '../src/testing/people.ts';
import { bringEyes, lookClosely, shapeFindings } from './readable.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ SUPPORT_EMAIL: 'support@example.com', PHONE_CONFIRMATION: 'optional' });

const pathsOf = (kind: 'open' | 'account') =>
  site.server.pages.filter((page) => page.kind === kind && page.language === 'en').map(({ path }) => path);
const open = [...pathsOf('open'), '/nothing/here/'];
const signedIn = pathsOf('account');
const widths = [320, 1280];

/** Combinations for axe: contrast depends on the theme, reachability on the width. */
const sights = (['light', 'dark'] as const).flatMap((theme) => [320, 1280].map((width) => ({ theme, width })));

/** Every language, or by default one of each script and direction, as in the gallery. */
const closely: readonly LanguageCode[] =
  process.env.GALLERY_WAYS === 'all' ? languages.map(({ code }) => code) : ['en', 'de', 'ar', 'ja'];

const placeOf = (path: string) => [...open, ...signedIn].indexOf(path);

/** The combination for a page in a language with axe, so that every such language gets all of them. */
function sightOf(language: LanguageCode, path: string) {
  const at = closely.indexOf(language);
  return at < 0 ? undefined : sights[(at + Math.floor(placeOf(path) / sights.length)) % sights.length];
}

async function lookAt(page: Page, language: LanguageCode, path: string): Promise<string[]> {
  const found: string[] = [];
  const sight = sightOf(language, path);
  if (sight) await page.emulateMedia({ colorScheme: sight.theme });
  await page.goto(site.origin + pathIn(language, path));
  await page.locator('html[data-alive]').waitFor();
  // A text that fits the narrow layout fits the wide one, except where a page has other parts there, which the languages
  // of `closely` show. Each page starts at the width at which the previous one ended, which avoids a second layout.
  const seen = sight ? widths : [320];
  for (const width of page.viewportSize()?.width === seen[0] ? seen : seen.toReversed()) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 });
    const isClose = width === sight?.width;
    const here = isClose ? (await lookClosely(page, language)).found : await shapeFindings(page, language);
    found.push(...here.map((finding) => `${path} ${width} ${sight?.theme ?? ''}: ${finding}`));
  }
  return found;
}

async function signIn(page: Page, language: LanguageCode): Promise<void> {
  const { browser } = await register(site.server, { locale: language });
  await site.shareSession(browser, page);
}

/**
 * Whether a page is seen in a language: each page in every sixth one, so that each language and each page has its turn.
 * The gallery shows every state in one of `closely`; `GALLERY_WAYS=all` sees everything.
 */
const isSeen = (language: LanguageCode, path: string): boolean =>
  process.env.GALLERY_WAYS === 'all' ||
  (languages.findIndex(({ code }) => code === language) + placeOf(path)) % 6 === 0;

describe('every screen is readable in every language, width and theme', () => {
  test.each(languages.map(({ code }) => code))('%s', async (language) => {
    const page = await site.visit(pathIn(language, '/'), { prepare: bringEyes });
    const found: string[] = [];
    for (const path of open.filter((one) => isSeen(language, one))) found.push(...(await lookAt(page, language, path)));
    await signIn(page, language);
    for (const path of signedIn.filter((one) => isSeen(language, one)))
      found.push(...(await lookAt(page, language, path)));
    expect(found).toEqual([]);
  });
});
