import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { type LanguageCode, languageOf } from '../src/contract/languages.ts';

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}

const axeScript = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * Takes axe along to every page that comes. Sent to each page anew, as its own package for Playwright does it, its half
 * megabyte takes longer than all of its rules.
 */
export const bringAxe = (page: Page): Promise<unknown> => page.context().addInitScript({ path: axeScript });

/** What axe finds on a page: the rule, and the elements that break it. */
export async function axeFindings(page: Page): Promise<string[]> {
  const violations = await page.evaluate(async () => {
    const found = await window.axe.run(document, { resultTypes: ['violations'] });
    return found.violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(' ')) }));
  });
  return violations.map(({ id, targets }) => `${id}: ${targets.join(', ')}`);
}

/** By how much a page scrolls sideways once somebody has their browser write twice as large, as one finding or none. */
export async function largeTextFindings(page: Page): Promise<string[]> {
  const browser = await page.context().newCDPSession(page);
  const write = (standard: number) =>
    browser.send('Page.setFontSizes', { fontSizes: { standard, fixed: (standard * 13) / 16 } });
  await write(32);
  const sideways = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  await write(16);
  await browser.detach();
  return sideways > 0 ? [`scrolls sideways by ${sideways} px where text is twice as large`] : [];
}

/** What nobody could read or reach: text that is cut, a page that scrolls sideways, a wrong language, the bare id of a text. */
export async function shapeFindings(page: Page, language: LanguageCode): Promise<string[]> {
  const { tag, dir } = languageOf(language);
  const shape = await page.evaluate(() => {
    const { documentElement: root, body } = document;
    const texts = [...body.querySelectorAll<HTMLElement>('h1, h2, p, label, button, a, li, span')];
    return {
      problem: root.dataset.problem,
      lang: root.lang,
      dir: root.dir,
      titles: document.querySelectorAll('h1').length,
      sideways: root.scrollWidth - root.clientWidth,
      cut: texts
        .filter((element) => element.checkVisibility() && getComputedStyle(element).position !== 'absolute')
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
        .filter((element) => getComputedStyle(element).overflowX === 'hidden')
        .map((element) => element.textContent.slice(0, 40)),
      raw: /\b[a-z]+(?:_[a-z]+)*\.[a-z]+_[a-z_]+\b|\b(?:frame|form|label|hint|invalid|failure)\.[a-z_]+\b/.exec(
        body.innerText,
      )?.[0],
    };
  });
  return [
    ...(shape.problem ? [shape.problem] : []),
    ...(shape.lang === tag && shape.dir === dir ? [] : [`lang=${shape.lang} dir=${shape.dir}`]),
    ...(shape.titles === 1 ? [] : [`${shape.titles} h1`]),
    ...(shape.sideways > 0 ? [`scrolls sideways by ${shape.sideways} px`] : []),
    ...shape.cut.map((text) => `cut: ${text}`),
    ...(shape.raw ? [`raw id of a message: ${shape.raw}`] : []),
  ];
}
