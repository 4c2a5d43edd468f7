import { type LanguageCode, splitPath } from '../../contract/languages.ts';
import { sessionLost } from '../requests/session.ts';
import { isLooping, wasLeft } from './leave.ts';
import { loadPage } from './load-page.ts';
import { placeOf, type Route } from './route.ts';
import { enterHistory, ownScrolling } from './scroll.ts';
import { openTrips, type ShownPage, type Visit } from './trips.ts';

/** Navigates on behalf of links, the history and the browser. */
export function createNavigator(routes: readonly Route[], first: Visit, update: (change: Partial<ShownPage>) => void) {
  const { visit, travel, check } = openTrips(routes, first, update);

  /** Loads the code and payload of pages that the user may visit next. */
  const prefetch = (wanted: readonly Route[], language: LanguageCode) => {
    for (const route of wanted) loadPage(route, language).catch(() => undefined);
  };

  const goneBack = () => {
    const { url } = visit().place;
    // A link within the page (`#email`) or a step also adds a history entry, but stays on the page.
    if (location.pathname !== url.pathname || location.search !== url.search) void travel(location.href, 'pop');
    else enterHistory('pop', url);
  };

  // The session of a page from the back/forward cache may have ended.
  const shownAgain = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    if (wasLeft()) location.reload();
    else void check();
  };

  const begunToUse = () => {
    const { route, language } = visit().place;
    const { likelyNext } = route;
    if (likelyNext)
      prefetch(
        routes.filter(({ name }) => likelyNext.includes(name)),
        language,
      );
  };

  return {
    travel: (address: string) => void travel(address),
    replace: (address: string) => void travel(address, 'replace'),
    prefetch(address: string) {
      const url = new URL(address, location.href);
      const { language } = splitPath(url.pathname);
      const route = placeOf(routes, url)?.route;
      if (route) prefetch([route], language);
    },
    /** Call after hydration. Returns a stop function. */
    start(): () => void {
      const listening = new AbortController();
      const { signal } = listening;
      const stop = [
        ownScrolling(),
        sessionLost.follow(() => void check()),
        isLooping.follow(() => update({ broken: true })),
        () => listening.abort(),
      ];
      addEventListener('popstate', goneBack, { signal });
      addEventListener('pageshow', shownAgain, { signal });
      document.addEventListener('focusin', begunToUse, { signal });
      void check();
      return () => {
        for (const end of stop) end();
      };
    },
  };
}
