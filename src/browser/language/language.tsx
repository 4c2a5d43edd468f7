import { type ReactNode, useMemo } from 'react';
import {
  defaultLanguage,
  isLanguageCode,
  type Language,
  type LanguageCode,
  localeOf,
  pathIn,
} from '../../contract/languages.ts';
import { localeCookie, localeCookieLifetime } from '../../contract/pages.ts';
import { AddressLink, useTravel } from '../navigation/navigation.tsx';
import { usePage } from '../navigation/page.tsx';
import { browserStorage, readCookie, writeCookie } from '../platform/storage.ts';

/** Stores the choice for a year; `/` redirects to it. */
function chooseLanguage(code: LanguageCode): void {
  writeCookie(localeCookie, code, localeCookieLifetime);
  browserStorage.write('locale', code);
}

/** Goes to the same page in another language, as its link does. */
export function useLanguageChoice(): (code: LanguageCode) => void {
  const { path, search } = usePage();
  const travel = useTravel();
  return (code) => {
    chooseLanguage(code);
    travel(pathIn(code, path + search));
  };
}

/** A link to the same page in another language; typed text stays. */
export function LanguageLink(props: { language: Language; onClick?: () => void }): ReactNode {
  const { language, onClick } = props;
  const page = usePage();
  const code = language.code as LanguageCode;
  const choose = () => {
    chooseLanguage(code);
    onClick?.();
  };
  return (
    <AddressLink
      address={pathIn(code, page.path + page.search)}
      lang={language.tag}
      hrefLang={language.tag}
      dir={language.dir}
      aria-current={code === page.language ? 'true' : undefined}
      onClick={choose}
      // A new tab requests its page before `click` fires, so store the choice earlier.
      onMouseDown={({ button, ctrlKey, metaKey }) => (button === 1 || ctrlKey || metaKey) && chooseLanguage(code)}
    >
      {language.name}
    </AddressLink>
  );
}

/**
 * On the sign-in page, if the server has detected the language from the browser's because the cookie was missing: goes to the
 * language that storage remembers, or else remembers the detected one.
 */
export function recallLanguage(detected: LanguageCode): void {
  const { pathname, search } = location;
  const cookie = readCookie(localeCookie);
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // `/` shows English without a cookie; elsewhere the server redirects and sets the cookie, unless the browser blocks it.
  const isDetected =
    pathname === '/'
      ? cookie === undefined
      : pathname === pathIn(detected, '/') &&
        navigation?.redirectCount &&
        (cookie === detected || !navigator.cookieEnabled);
  if (!isDetected) return;
  const remembered = browserStorage.read('locale');
  const wanted = isLanguageCode(remembered) ? remembered : detected;
  browserStorage.write('locale', wanted);
  if (wanted === detected) return;
  writeCookie(localeCookie, wanted, localeCookieLifetime);
  // If the browser blocks cookies, the server would redirect from `/` again.
  if (wanted === defaultLanguage && readCookie(localeCookie) !== wanted) return;
  location.replace(pathIn(wanted, '/') + search);
}

type Compare = (one: string, other: string) => number;

/** Shared by all components, because making a collator takes milliseconds. */
const compareByLocale = new Map<string, Compare>();

/** Compares names in the order of the page's language, with numbers by their value. */
export function useCollation(): Compare {
  const locale = localeOf(usePage().language);
  const known = compareByLocale.get(locale) ?? new Intl.Collator(locale, { numeric: true }).compare;
  compareByLocale.set(locale, known);
  return known;
}

/** Things in the order of their names. */
export function useSortedByName<Named extends { readonly name: string }>(things: readonly Named[]): readonly Named[] {
  const compare = useCollation();
  return useMemo(() => things.toSorted((one, other) => compare(one.name, other.name)), [things, compare]);
}
