import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type LanguageCode, languages, pathIn } from '../src/contract/languages.ts';
import { register } from '../src/testing/people.ts';
import { openFrontDoor } from './house.ts';
import { axeFindings, bringAxe, shapeFindings } from './readable.ts';

const door = await openFrontDoor({ SUPPORT_EMAIL: 'support@example.com', PHONE_CONFIRMATION: 'optional' });

const pathsOf = (kind: 'open' | 'account') =>
  door.house.pages.filter((page) => page.kind === kind && page.language === 'en').map(({ path }) => path);
const open = [...pathsOf('open'), '/nothing/here/'];
const signedIn = pathsOf('account');
const widths = [768, 320, 1280];
const themes = ['light', 'dark'] as const;

/** Contrast depends on the appearance and reach on the width: each language has both of both, and neighbours have them crosswise. */
const themeAt = (width: number, language: LanguageCode) =>
  themes[(languages.findIndex(({ code }) => code === language) + Number(width === 320)) % themes.length] as
    | 'light'
    | 'dark';

async function lookAt(page: Page, language: LanguageCode, path: string): Promise<string[]> {
  const found: string[] = [];
  await page.goto(door.origin + pathIn(language, path));
  await page.locator('html[data-alive]').waitFor();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const here = await shapeFindings(page, language);
    if (width !== 768) {
      const colorScheme = themeAt(width, language);
      await page.emulateMedia({ colorScheme });
      here.push(...(await axeFindings(page)).map((finding) => `${colorScheme} ${finding}`));
    }
    found.push(...here.map((finding) => `${path} ${width}: ${finding}`));
  }
  return found;
}

async function signIn(page: Page, language: LanguageCode): Promise<void> {
  const { browser } = await register(door.house, { locale: language });
  const session = [...browser.cookies].map(([name, value]) => ({ name, value, url: door.origin }));
  await page.context().addCookies(session);
}

describe('every screen can be read, in every language, width and appearance', () => {
  test.concurrent.each(languages.map(({ code }) => code))('%s', async (language) => {
    const page = await door.visit(pathIn(language, '/'), { reducedMotion: 'reduce', prepare: bringAxe });
    const found: string[] = [];
    for (const path of open) found.push(...(await lookAt(page, language, path)));
    await signIn(page, language);
    for (const path of signedIn) found.push(...(await lookAt(page, language, path)));
    expect(found).toEqual([]);
    await page.context().close();
  });
});
