import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import '../ui/tokens.css';
import '../ui/base.css';
import { TextContext, textsOf, useText } from '../browser/language/text.tsx';
import { NavigationContext, useNavigator } from '../browser/navigation/navigation.tsx';
import { type Page, PageContext, usePage } from '../browser/navigation/page.tsx';
import type { Place, Route } from '../browser/navigation/route.ts';
import type { Visit } from '../browser/navigation/trips.ts';
import { ErrorBoundary, Head, useHydrated } from '../browser/platform/document.tsx';
import { followBuilds } from '../browser/platform/new-build.ts';
import { browserStorage } from '../browser/platform/storage.ts';
import { brand } from '../contract/brand.ts';
import { languageOf, pathIn } from '../contract/languages.ts';
import { manifestPath } from '../contract/pages.ts';
import ErrorPage from './error.screen.tsx';

interface DocumentProps {
  routes: readonly Route[];
  /** The pre-rendered page. */
  first: Visit;
  /** Tags for the head and the end of the body, only while pre-rendering. React keeps them in the browser. */
  headTags?: ReactNode;
  endTags?: ReactNode;
}

/** Renders the whole document, so that language, title and body change together. */
export function PageDocument({ routes, first, headTags, endTags }: DocumentProps) {
  const { visit, broken, navigation } = useNavigator(routes, first);
  const { Screen, place, payload } = visit;
  const { language, messages, settings, styles } = payload;
  const { name, index, instead, middleware } = place.route;
  const [title, setTitle] = useState<string>();
  const [step, setStep] = useState<string>();
  const head = useMemo(() => ({ ...payload.head, title: step ?? payload.head.title }), [payload, step]);
  const texts = useMemo(() => textsOf(language, messages), [language, messages]);
  const [shownPath = '', query = ''] = useShownAddress(place).split('?');
  const page = useMemo<Page>(
    () => ({ ...place, path: shownPath, search: query && `?${query}`, name, settings, head, setTitle, setStep }),
    [place, shownPath, query, name, settings, head],
  );
  useHydrated();
  useEffect(() => followBuilds(first.payload.build), [first]);
  useEffect(reportAsPhone, []);

  const { tag, dir } = languageOf(language);
  const path = instead ? undefined : shownPath;
  return (
    // The theme and `data-alive` are set outside React.
    <html lang={tag} dir={dir} suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content={brand.surface} />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content={brand.darkSurface} />
        <Head content={{ ...head, title: title ?? head.title, language, path, index, publicUrl: settings.publicUrl }} />
        {settings.devices && middleware?.includes('account') && (
          <link rel="manifest" href={pathIn(language, manifestPath)} />
        )}
        {headTags}
        {styles.map((address) => (
          // React waits for a page's stylesheets before it shows the page.
          <link key={address} rel="stylesheet" href={address} precedence="page" />
        ))}
      </head>
      <body>
        <TextContext value={texts}>
          <PageContext value={page}>
            <NavigationContext value={navigation}>
              <ErrorBoundary key={name} broken={broken} instead={<Broken />}>
                <Screen key={name} />
              </ErrorBoundary>
            </NavigationContext>
          </PageContext>
        </TextContext>
        {endTags}
      </body>
    </html>
  );
}

/** A phone whose owner added it to an account reports while one of its pages is open. */
function reportAsPhone(): void {
  if (!browserStorage.read('phone')) return;
  void import('../devices/computers/phone/report.part.ts').then(({ reportWhileOpen }) => reportWhileOpen());
}

const never = () => () => undefined;

/** The page's path and query. During hydration they equal the pre-rendered ones, which have no parameters. */
const useShownAddress = ({ path, url, route }: Place): string =>
  useSyncExternalStore(
    never,
    () => path + url.search,
    () => route.path,
  );

/** Replaces a screen that cannot be shown. */
function Broken() {
  const { setTitle } = usePage();
  const title = useText()('error_page.page');
  useEffect(() => {
    setTitle(title);
    return () => setTitle(undefined);
  }, [setTitle, title]);
  return <ErrorPage />;
}
