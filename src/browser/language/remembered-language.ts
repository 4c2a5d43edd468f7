import { defaultLanguage, isLanguageCode, type LanguageCode, pathIn } from '../../contract/languages.ts';
import { localeCookie, localeCookieLifetime } from '../../contract/pages/cookies.ts';
import { readCookie, writeCookie } from '../platform/cookies.ts';
import { browserStorage } from '../platform/storage.ts';

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
