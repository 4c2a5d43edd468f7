import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type LanguageCode, languages, pathIn } from '../src/contract/languages.ts';
import { hours } from '../src/contract/units.ts';
import type { MessageId } from '../src/messages/ids.ts';
import { register } from '../src/testing/people.ts';
import { bringEyes, largeTextFindings, lookClosely, shapeFindings } from './readable.ts';
import { openTestSite } from './test-site.ts';

/** `GALLERY_STATES=sign-in/`: tests only states whose address contains this. */
const { GALLERY_STATES: wanted = '', GALLERY_WAYS: ways } = process.env;
/**
 * `GALLERY_WAYS=all` tests each state in every language, theme and width, in a separate document, which takes an hour.
 * By default each state has one combination, the states of a page share a document, and of the failures that all forms
 * show in the same place, each form shows some.
 */
const everything = ways === 'all';

const site = await openTestSite({ SUPPORT_EMAIL: 'support@example.com', PHONE_CONFIRMATION: 'optional' });

const themes = ['light', 'dark'] as const;
const widths = [320, 1280] as const;
/** Contrast depends on the theme, reachability on the width. */
const lights = themes.flatMap((theme) => widths.map((width) => ({ theme, width })));
/** English, the longest words, right to left, and no spaces. */
const spread: readonly LanguageCode[] = ['en', 'de', 'ar', 'ja'];

/** Texts that pages carry for refusals that cannot occur, so no state shows them. */
const unsaid: readonly MessageId[] = ['failure.phone_invalid', 'failure.place_not_allowed'];

interface State {
  readonly id: string;
  readonly page: string;
  /** A failure that other forms show in the same place. */
  readonly repeated: boolean;
}

/** Each form repeats about twelve failures: one of them, and another one in the next form. */
function withoutRepetition(states: readonly State[]): State[] {
  const repeated = states.filter((state) => state.repeated);
  const seen = new Set(repeated.filter((_, at) => at % 11 === 0));
  return states.filter((state) => !state.repeated || seen.has(state));
}

interface Sight {
  readonly state: State;
  readonly language: LanguageCode;
  readonly theme: (typeof themes)[number];
  /** CSS pixels. */
  readonly width: number;
}

/** Gives neighboring states, which are similar, different languages, and then different themes and widths. */
function sightsOf(states: readonly State[]): Sight[] {
  const languagesSeen = everything ? languages.map(({ code }) => code) : spread;
  const inAll = lights.flatMap((light) => languagesSeen.map((language) => ({ language, ...light })));
  return states.flatMap((state, at) => {
    const turn = at % languagesSeen.length;
    // Shift by one each round, so that every language gets every theme and width.
    const light = lights[(at + Math.floor(at / lights.length)) % lights.length];
    const seen = everything ? inAll : [{ language: languagesSeen[turn], ...light } as Omit<Sight, 'state'>];
    return seen.map((way) => ({ state, ...way }));
  });
}

/** Groups states that can share a document and a window size. */
const orderOf = ({ state, width, theme, language }: Sight) => [state.page, width, theme, language].join();

/** The page that each watcher's document shows. */
const pagesOpen = new WeakMap<Page, string>();

async function turnTo(page: Page, { state, language, theme }: Sight): Promise<void> {
  const address = `/dev/gallery/stage/?${new URLSearchParams({ state: state.id, language, theme })}`;
  if (everything || pagesOpen.get(page) !== state.page) {
    await page.goto(site.origin + address);
    await page.locator('html[data-staged]').waitFor({ state: 'attached' });
  } else await page.evaluate(stageNext, address);
  pagesOpen.set(page, state.page);
}

/** Runs in the page: shows another state and waits for it. */
function stageNext(address: string): Promise<void> {
  const { documentElement: root } = document;
  history.replaceState(null, '', address);
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!root.hasAttribute('data-staged')) return;
      observer.disconnect();
      resolve();
    });
    document.dispatchEvent(new Event('stage'));
    observer.observe(root, { attributeFilter: ['data-staged'] });
  });
}

/** The parts of a page that its states change. */
const changing = 'main, dialog[open]';
/** Pages whose states include menus and layouts. */
const framed = ['register', 'dashboard'];

/** Checks one state; returns its problems and the ids of its texts. */
async function look(page: Page, sight: Sight) {
  const { state, language, theme, width } = sight;
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 });
  // The frame around the states of one page stays the same, except where the states of menus and layouts are.
  const isFrameSeen = !everything && pagesOpen.get(page) === state.page && !framed.includes(state.page);
  await turnTo(page, sight);
  const large = width === widths[0] ? await largeTextFindings(page) : [];
  const { found, said } = await lookClosely(page, language, isFrameSeen ? changing : undefined);
  return {
    said,
    found: [...found, ...large].map((finding) => `${state.id} ${language} ${theme} ${width}: ${finding}`),
  };
}

async function statesOfGallery(page: Page): Promise<State[]> {
  await page.goto(`${site.origin}/dev/gallery/`);
  const links = page.locator('a[data-state]');
  await links.first().waitFor();
  return links.evaluateAll((all) =>
    all.map((link) => {
      const { state = '', page = '', repeated } = (link as HTMLElement).dataset;
      return { id: state, page, repeated: repeated === 'true' };
    }),
  );
}

/** Every text in the pages' payloads, except for the head and for browsers without scripts. */
async function carriedTexts(page: Page): Promise<string[]> {
  const addresses = await page.evaluate(
    () => JSON.parse(document.documentElement.dataset.payloads ?? '[]') as string[],
  );
  const carried = new Set<string>();
  for (const address of addresses) {
    const { messages } = (await (await fetch(site.origin + address)).json()) as { messages: object };
    for (const id of Object.keys(messages)) carried.add(id);
  }
  return [...carried].filter((id) => !/\.(?:page|description)$|^frame\.no_script$/.test(id));
}

/** Parallel pages: the browser works on one while another waits. */
const watchers = 2;

test('the states are readable and accessible, and every text of a page appears in one', {
  timeout: hours(2),
}, async () => {
  const visits = Array.from({ length: watchers }, () => site.visit('/', { prepare: bringEyes }));
  const [first, ...others] = (await Promise.all(visits)) as [Page, ...Page[]];
  const states = await statesOfGallery(first);
  const carried = await carriedTexts(first);
  const looked = wanted || everything ? states.filter(({ id }) => id.includes(wanted)) : withoutRepetition(states);
  const waiting = sightsOf(looked).sort((one, other) => orderOf(one).localeCompare(orderOf(other)));
  const found: string[] = [];
  const said = new Set<string>();
  const watch = async (page: Page) => {
    for (let sight = waiting.shift(); sight; sight = waiting.shift()) {
      const seen = await look(page, sight);
      found.push(...seen.found);
      for (const id of seen.said) said.add(id);
    }
  };
  await Promise.all([first, ...others].map(watch));
  expect(found).toEqual([]);
  expect(states.length).toBeGreaterThan(100);
  expect(carried.length).toBeGreaterThan(100);
  if (wanted === '') expect(carried.filter((id) => !said.has(id)).toSorted()).toEqual(unsaid);
});

const pathsOf = (kind: 'open' | 'account') =>
  site.server.pages.filter((page) => page.kind === kind && page.language === 'en').map(({ path }) => path);
const open = [...pathsOf('open'), '/nothing/here/'];
const signedIn = pathsOf('account');

/** The languages in which axe looks at the pages. */
const closely: readonly LanguageCode[] = everything ? languages.map(({ code }) => code) : spread;

const placeOf = (path: string) => [...open, ...signedIn].indexOf(path);

/** The combination for a page in a language with axe, so that every such language gets all of them. */
function sightAt(language: LanguageCode, path: string) {
  const at = closely.indexOf(language);
  return at < 0 ? undefined : lights[(at + Math.floor(placeOf(path) / lights.length)) % lights.length];
}

async function lookAt(page: Page, language: LanguageCode, path: string): Promise<string[]> {
  const found: string[] = [];
  const sight = sightAt(language, path);
  if (sight) await page.emulateMedia({ colorScheme: sight.theme });
  await page.goto(site.origin + pathIn(language, path));
  await page.locator('html[data-alive]').waitFor();
  // A text that fits the narrow layout fits the wide one, except where a page has other parts there, which the languages
  // of `closely` show. Each page starts at the width at which the previous one ended, which avoids a second layout.
  const seen: readonly number[] = sight ? widths : [320];
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
  everything || (languages.findIndex(({ code }) => code === language) + placeOf(path)) % 6 === 0;

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
