import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react';
import { type LanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Text } from '../language/text.tsx';
import { sessionLost } from '../requests/session.ts';
import { enterHistory, focusHeading, ownScrolling } from './history.ts';
import { isLooping, wasLeft } from './last-place.ts';
import { loadPage, usePage } from './page.tsx';
import { placeOf, type Route } from './route.ts';
import { type MissingResponse, openTrips, type ShownPage, type Visit } from './trips.ts';

export interface Navigation {
  /** Goes to a page by its path, with the language prefix: `/de/register/`. */
  readonly travel: (address: string) => void;
  /** The same, instead of the current history entry. */
  readonly replace: (address: string) => void;
  /** Loads the code and payload of the page at an address. */
  readonly prefetch: (address: string) => void;
  /** Where the navigation under way leads; the current address if there is none. */
  readonly destination: () => URL;
  /** The next page is taking longer than a second. */
  readonly slow: boolean;
  /** Why the next page does not load. */
  readonly unanswered: MissingResponse | undefined;
}

export const NavigationContext = createContext<Navigation | undefined>(undefined);

const useNavigation = (): Navigation => useContext(NavigationContext) as Navigation;

/** Progress of the navigation to the next page. */
export const useProgress = (): Pick<Navigation, 'slow' | 'unanswered'> => useNavigation();

/** `go('/register/')`: goes to a page in the current language. */
export function useGo(): (to: string) => void {
  const { travel } = useNavigation();
  const { language } = usePage();
  return (to) => travel(pathIn(language, to));
}

/** `travel('/de/register/')`: goes to the page at an address. */
export const useTravel = (): Navigation['travel'] => useNavigation().travel;

type Anchor = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { children?: ReactNode };

/** A link to a page in the current language: `<Link to="/register/" text="register.page" />`, or with other content. */
export function Link({ to, text, children, ...anchor }: Anchor & { to: string; text?: MessageId }): ReactNode {
  const { language } = usePage();
  return (
    <AddressLink address={pathIn(language, to)} {...anchor}>
      {text ? <Text id={text} /> : children}
    </AddressLink>
  );
}

/** A link that navigates without reloading the window and prefetches its page. */
export function AddressLink({ address, onClick, ...anchor }: Anchor & { address: string }): ReactNode {
  const { travel, prefetch } = useNavigation();
  const fetchAhead = () => prefetch(address);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0;
    if (elsewhere || event.defaultPrevented) return;
    event.preventDefault();
    travel(address);
  };
  return (
    <a
      {...anchor}
      href={address}
      onClick={follow}
      onPointerEnter={fetchAhead}
      onFocus={fetchAhead}
      onTouchStart={fetchAhead}
    />
  );
}

/** Changes of a query; undefined and empty values remove their parameter. */
export type QueryChanges = Readonly<Record<string, string | undefined>>;

/** The query of the page's address, its address after changes, and a function that makes them in the current entry. */
export function useQuery() {
  const { path, search, language } = usePage();
  const { replace, destination } = useNavigation();
  return {
    query: new URLSearchParams(search),
    addressWith: (changes: QueryChanges): string => pathIn(language, path) + changed(search, changes),
    change(changes: QueryChanges): void {
      // An earlier change may still be under way; someone who is leaving the page no longer needs this one.
      const { pathname, search: newest } = destination();
      if (splitPath(pathname).page === path) replace(pathname + changed(newest, changes));
    },
  };
}

function changed(search: string, changes: QueryChanges): string {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  return text && `?${text}`;
}

/** The current page and the navigation to others; an arrival scrolls and focuses the page's heading. */
export function useNavigator(routes: readonly Route[], first: Visit): ShownPage & { navigation: Navigation } {
  const [shown, setShown] = useState<ShownPage>({ visit: first, slow: false, unanswered: undefined, broken: false });
  const [navigator] = useState(() =>
    createNavigator(routes, first, (change) => startTransition(() => setShown((before) => ({ ...before, ...change })))),
  );
  useEffect(() => navigator.start(), [navigator]);

  const { visit, slow, unanswered } = shown;
  useLayoutEffect(() => {
    if (visit.arrival?.scroll !== undefined) scrollTo(0, visit.arrival.scroll);
  }, [visit]);
  useEffect(() => {
    if (visit.arrival) focusHeading();
  }, [visit]);

  const { travel, replace, prefetch, destination } = navigator;
  const navigation = useMemo(
    () => ({ travel, replace, prefetch, destination, slow, unanswered }),
    [travel, replace, prefetch, destination, slow, unanswered],
  );
  return { ...shown, navigation };
}

/** Navigates on behalf of links, the history and the browser. */
function createNavigator(routes: readonly Route[], first: Visit, update: (change: Partial<ShownPage>) => void) {
  const { visit, destination, travel, check } = openTrips(routes, first, update);

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
    destination,
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
