import assets from 'virtual:build-assets';
import texts from 'virtual:page-texts';
import { prerender } from 'react-dom/static';
import { type Messages, textsOf } from '../browser/language/text.tsx';
import type { Payload } from '../browser/navigation/page.tsx';
import type { Route } from '../browser/navigation/route.ts';
import { brand, mark } from '../contract/brand.ts';
import { referencePlaceholder } from '../contract/failures.ts';
import { type LanguageCode, languageOf, languages, pathIn } from '../contract/languages.ts';
import type { PageKind } from '../contract/pages.ts';
import type { PageSettings, SiteSettings } from '../contract/settings.ts';
import type { MessageId } from '../messages/ids.ts';
import { allPages, kindOf } from './all-pages.ts';
import { consolePages } from './console-pages.ts';
import { PageDocument } from './document.tsx';
import type { PageFiles } from './page-assets.ts';
import { offeredPages, pageReads } from './pages.ts';

export interface RenderedPage {
  /** Name in `pages.ts`. */
  readonly page: string;
  /** With its language prefix and trailing slash. */
  readonly path: string;
  readonly kind: PageKind;
  readonly language: LanguageCode;
  readonly html: string;
  readonly payload: string;
}

interface Options {
  readonly settings: SiteSettings;
  /** Id of the build. */
  readonly build: string;
  /** Default: all. */
  readonly languages?: readonly LanguageCode[];
  /** Name of the only page to render. */
  readonly page?: string;
}

/** Compiled by the first step of the build, so that browsers need not parse messages. */
const catalogs = import.meta.glob<Messages>('../../dist/messages/*.json', { import: 'default', eager: true });

/** Renders every page in every language. */
export async function* renderPages({
  settings,
  build,
  languages: wanted,
  page,
}: Options): AsyncGenerator<RenderedPage> {
  if (assets.pages.length !== allPages.length || texts.length !== allPages.length)
    throw new Error('each page needs one import in its list');
  const offered = [...offeredPages(settings), ...consolePages];
  for (const language of wanted ?? languages.map(({ code }) => code)) {
    for (const [at, route] of allPages.entries()) {
      if (!offered.includes(route) || (page !== undefined && page !== route.name)) continue;
      const files = assets.pages[at] as PageFiles;
      const payload = {
        ...payloadOf({ route, language, settings, build }, texts[at] as readonly MessageId[]),
        styles: files.styles,
      };
      const html = await renderPage(route, payload, files);
      const path = pathIn(language, route.path);
      yield { page: route.name, path, kind: kindOf(route), language, html, payload: JSON.stringify(payload) };
    }
  }
}

type Rendering = { route: Route; language: LanguageCode } & Options;

function payloadOf(
  { route, language, settings, build }: Rendering,
  ids: readonly MessageId[],
): Omit<Payload, 'styles'> {
  const built = catalogs[`../../dist/messages/${language}.json`];
  if (!built) throw new Error(`no messages in ${language}`);
  const catalog = { ...built, ...ownTextsIn(language, settings) };
  const messages = Object.fromEntries(ids.map((id) => [id, catalog[id] as Messages[string]]));
  const t = textsOf(language, catalog);
  const title = `${t(`${route.head}.page`)} – ${settings.productName}`;
  // A page that search engines may not list needs no description.
  const described = route.index || `${route.head}.description` in catalog;
  const description = described ? t(`${route.head}.description` as MessageId) : '';
  return {
    language,
    page: route.name,
    messages,
    head: { title, description },
    settings: settingsIn(language, settings),
    build,
  };
}

/** Reduces the site's settings to those of one language. */
function settingsIn(language: LanguageCode, { phoneVoice, ownTexts, ...settings }: SiteSettings): PageSettings {
  const speaks = phoneVoice.includes(language);
  return { ...settings, phoneWays: settings.phoneWays.filter((way) => way !== 'voice' || speaks) };
}

/** The operator's texts as compiled messages; isolated, since they may run against a page in Arabic. */
function ownTextsIn(language: LanguageCode, { ownTexts }: SiteSettings): Messages {
  const isolated = languageOf(language).dir === 'rtl';
  return Object.fromEntries(
    Object.entries(ownTexts).flatMap(([id, texts]) => {
      const text = texts?.[language];
      return text === undefined ? [] : [[id, [isolated ? `\u2068${text}\u2069` : text]]];
    }),
  );
}

async function renderPage(route: Route, payload: Payload, { entry, modules }: PageFiles): Promise<string> {
  const { default: Screen } = await route.screen();
  const { language, settings } = payload;
  const url = new URL(pathIn(language, route.path), settings.publicUrl);
  const place = { url, language, path: route.path, route, params: {} };
  const reads = pageReads[route.name];
  const headTags = (
    <>
      <script src={assets.early} data-guests={route.middleware?.includes('guest') || undefined} fetchPriority="high" />
      {reads && (
        <script
          src={assets.earlyRequests}
          data-reads={reads.join(' ').replaceAll(':locale', language)}
          fetchPriority="high"
        />
      )}
      {modules.map((address) => (
        <link key={address} rel="modulepreload" href={address} fetchPriority="low" />
      ))}
      <script type="module" src={entry} />
      <link rel="icon" type="image/svg+xml" href={icon} />
      {route.instead && <meta name="reference" content={referencePlaceholder} />}
    </>
  );
  const data = JSON.stringify(payload).replaceAll('<', '\\u003c');
  const endTags = (
    <script type="application/json" id="payload">
      {data}
    </script>
  );
  const { prelude } = await prerender(
    <PageDocument routes={allPages} first={{ Screen, payload, place }} headTags={headTags} endTags={endTags} />,
  );
  return writtenHtml(await new Response(prelude).text());
}

/** The logo as a favicon. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="${brand.fill}"/><path d="${mark.arch}" fill="none" stroke="${brand.onFill}" stroke-width="2.25" stroke-linecap="round"/><path d="${mark.door}" fill="${brand.light}"/></svg>`,
)}`;

/** Boolean attributes, which need no value. */
const booleans = /^(?:async|checked|defer|disabled|hidden|inert|multiple|novalidate|open|readonly|required|selected)$/;
/** SVG elements, whose attribute names are case-sensitive. */
const drawn = /^(?:circle|defs|ellipse|g|line|mask|path|pattern|polygon|polyline|rect|stop|svg|use)$/;

/**
 * Minifies React's HTML: lower-case names, no slash at the end of a void element, no empty value. React escapes each
 * `<` and `>` in text, so a regular expression finds the tags.
 */
const writtenHtml = (rendered: string): string =>
  rendered.replace(/<([a-z][a-z0-9]*)((?:\s[^>]*?)?)\/?>/g, (whole, name: string, attributes: string) =>
    drawn.test(name) ? whole : `<${name}${attributes.replace(/\s([^\s="/]+)(="[^"]*")?/g, writeAttribute)}>`,
  );

const writeAttribute = (_: string, name: string, value = '') => {
  const written = name.toLowerCase();
  return ` ${written}${value === '=""' && booleans.test(written) ? '' : value}`;
};
