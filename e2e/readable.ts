import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { CDPSession, Page } from 'playwright-core';
import { type LanguageCode, languageOf } from '../src/contract/languages.ts';

declare global {
  interface Window {
    readonly axe: typeof axe;
    readonly axeFindings: typeof runAxe;
    readonly shapeOfPage: typeof shapeOfPage;
  }
}

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Installs axe and our own checks as an init script of every page. Axe's package for Playwright sends its half megabyte
 * to each page again, which takes longer than running the rules.
 */
export const bringEyes = (page: Page): Promise<unknown> =>
  page.context().addInitScript({
    content: `${axeScript};\nwindow.axeFindings = ${runAxe};\nwindow.shapeOfPage = ${shapeOfPage};`,
  });

/**
 * Runs in the page: returns axe's violations, each with its rule and elements. `within` limits it to the parts of the
 * document that match.
 */
async function runAxe(within?: string): Promise<string[]> {
  const parts = within === undefined ? null : document.querySelectorAll(within);
  const { violations } = await window.axe.run(parts?.length ? parts : document, { resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

/** Reused per page, since opening a session takes longer than its commands. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

function sessionOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  return session;
}

/** Reports a page that scrolls sideways when the browser's font size is doubled. */
export async function largeTextFindings(page: Page): Promise<string[]> {
  const browser = await sessionOf(page);
  const write = (standard: number) =>
    browser.send('Page.setFontSizes', { fontSizes: { standard, fixed: (standard * 13) / 16 } });
  await write(32);
  const sideways = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  await write(16);
  return sideways > 0 ? [`scrolls sideways by ${sideways} px where text is twice as large`] : [];
}

/** Reports cut text, repeated titles, sideways scrolling, a wrong language, and raw message ids. */
export async function shapeFindings(page: Page, language: LanguageCode): Promise<string[]> {
  return findingsOf(await page.evaluate(() => window.shapeOfPage()), language);
}

/**
 * A page's shape and axe findings, in one call, and the texts shown by a gallery state (`data-said`). `within`: where axe
 * looks.
 */
export async function lookClosely(page: Page, language: LanguageCode, within?: string) {
  const { shape, axe, said } = await page.evaluate(async (place) => {
    const shape = window.shapeOfPage();
    const axe = await window.axeFindings(place);
    const said: string[] = JSON.parse(document.documentElement.dataset.said ?? '[]');
    return { shape, axe, said };
  }, within);
  return { found: [...findingsOf(shape, language), ...axe], said };
}

/** Runs in the page. */
function shapeOfPage() {
  const { documentElement: root, body } = document;
  // Codes that are the same in every language may look like ids.
  const codes = [...body.querySelectorAll<HTMLElement>('[translate=no]')].map(({ innerText }) => innerText);
  const translated = codes.reduce((text, code) => text.replaceAll(code, ''), body.innerText);
  const texts = [...body.querySelectorAll<HTMLElement>('h1, h2, p, label, button, a, li, span')];
  return {
    problem: root.dataset.problem,
    lang: root.lang,
    dir: root.dir,
    titles: document.querySelectorAll('h1').length,
    repeated: [...document.querySelectorAll<HTMLElement>('h2')]
      .filter((heading) => heading.checkVisibility())
      .map(({ textContent }) => textContent)
      .filter((words) => words === document.querySelector('h1')?.textContent),
    sideways: root.scrollWidth - root.clientWidth,
    // Compare widths first: computing styles is slower, and few elements are wider than their box.
    cut: texts
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .filter((element) => element.checkVisibility() && getComputedStyle(element).position !== 'absolute')
      .filter((element) => getComputedStyle(element).overflowX === 'hidden')
      .map((element) => element.textContent.slice(0, 40)),
    raw: /\b[a-z]+(?:_[a-z]+)*\.[a-z]+_[a-z_]+\b|\b(?:frame|form|label|hint|invalid|failure)\.[a-z_]+\b/.exec(
      translated,
    )?.[0],
  };
}

function findingsOf(shape: ReturnType<typeof shapeOfPage>, language: LanguageCode): string[] {
  const { tag, dir } = languageOf(language);
  return [
    ...(shape.problem ? [shape.problem] : []),
    ...(shape.lang === tag && shape.dir === dir ? [] : [`lang=${shape.lang} dir=${shape.dir}`]),
    ...(shape.titles === 1 ? [] : [`${shape.titles} h1`]),
    ...shape.repeated.map((words) => `a heading repeats the page's title: ${words}`),
    ...(shape.sideways > 0 ? [`scrolls sideways by ${shape.sideways} px`] : []),
    ...shape.cut.map((text) => `cut: ${text}`),
    ...(shape.raw ? [`raw id of a message: ${shape.raw}`] : []),
  ];
}
