import { pathIn, splitPath } from '../../contract/languages.ts';
import type { PageSettings } from '../../contract/settings.ts';
import { seconds } from '../../contract/units.ts';
import { newBuild, reloadOnce, serverResponds } from '../platform/new-build.ts';
import { after } from '../platform/timers.ts';
import { overdueAfter, recordRequests } from '../requests/request-status.ts';
import { sendRequest } from '../requests/send-request.ts';
import { accessToken, mayHaveSession, sessionNotice } from '../requests/session.ts';
import { enterHistory, type HistoryEntry, shownStep } from './history.ts';
import { forgetLink, keepQuery, withLink } from './kept-query.ts';
import { keepReturnPlace, keepServerPlace, lastPlaceOfTab, leaveTo, wasLeft } from './last-place.ts';
import { keepPayload, type LoadedPage, loadPage } from './page.tsx';
import { type MiddlewareName, PageNotFound, type Place, placeOf, type Route } from './route.ts';

export interface MissingResponse {
  readonly message: 'frame.unreached' | 'frame.overdue';
  readonly retry: () => void;
}

/** One attempt to load or check the page at an address. */
interface PendingNavigation {
  readonly url: URL;
  readonly overtaken: () => boolean;
  readonly retry: () => void;
  readonly update: (change: { slow?: boolean; unanswered?: MissingResponse }) => void;
  readonly failed: (error: unknown, url: URL, retry: () => void) => Promise<void>;
}

/** Runs a navigation and shows that it is slow, overdue or failed. */
async function follow({ url, overtaken, retry, update, failed }: PendingNavigation, work: () => Promise<void>) {
  const clocks = [
    after(seconds(1), () => overtaken() || update({ slow: true })),
    after(overdueAfter, () => overtaken() || update({ unanswered: { message: 'frame.overdue', retry } })),
  ];
  try {
    await work();
  } catch (error) {
    if (!overtaken()) await failed(error, url, retry);
  } finally {
    for (const stop of clocks) stop();
    if (!overtaken()) update({ slow: false });
  }
}

/** A loaded page at a place. */
export interface Visit extends LoadedPage {
  readonly place: Place;
  /** Set after a navigation from another of our pages; `scroll` in pixels, undefined keeps the position. */
  readonly arrival?: { readonly scroll: number | undefined };
}

export interface ShownPage {
  readonly visit: Visit;
  /** The next page is taking longer than a second. */
  readonly slow: boolean;
  /** Why the next page does not load, and a retry. */
  readonly unanswered: MissingResponse | undefined;
  /** A page failed to load, and a reload did not help. */
  readonly broken: boolean;
}

/** More consecutive detours than this are a loop. */
const detourLimit = 5;

/** After Back to a page with a detour, the detour replaces that page's entry. */
const detourEntry = (entry: HistoryEntry): HistoryEntry => (entry === 'pop' ? 'replace' : entry);

/** Navigates between pages: runs the guard first, and keeps the old page until the next one is ready. */
export function openTrips(routes: readonly Route[], first: Visit, update: (change: Partial<ShownPage>) => void) {
  const { settings, build } = first.payload;
  let visit = first;
  let turn = 0;
  /** Where the newest navigation leads, while it is under way. */
  let ahead: URL | undefined;
  keepPayload(first.place.route, first.payload);

  function show(next: Visit): void {
    visit = next;
    update({ visit, broken: false, unanswered: undefined });
  }

  async function travel(address: string, entry: HistoryEntry = 'push', detours = 0): Promise<void> {
    const url = new URL(address, location.href);
    const overtaken = beginTurn();
    const retry = () => void travel(address, entry);
    ahead = url;
    update({ unanswered: undefined });
    await follow({ url, overtaken, retry, update, failed }, async () => {
      const place = placeOf(routes, url);
      if (overtaken()) return;
      // Not one of our pages: the server may still serve something there, or its own 404.
      if (!place) return leaveTo(url.href);
      if (newBuild.read()) return loadAnew(url, retry);
      keepQuery(url, place.route);
      const next = await prepare(place, detours);
      if (overtaken()) return;
      if ('leave' in next) leaveTo(next.leave);
      else if ('go' in next) await travel(next.go, detourEntry(entry), detours + 1);
      else arrive(next, entry);
    });
    if (!overtaken()) ahead = undefined;
  }

  const loadAnew = async (url: URL, retry: () => void) =>
    (await serverResponds()) ? leaveTo(wholeAddress(url)) : unreached(retry);

  const unreached = (retry: () => void) => update({ unanswered: { message: 'frame.unreached', retry } });

  /** Loads the next page, or returns a detour. */
  async function prepare(place: Place, detours: number): Promise<Visit | Detour> {
    const [detour, page] = await Promise.all([guard(place, settings), loadPage(place.route, place.language)]);
    if (detour && detours < detourLimit) return detour;
    // A payload of another build does not fit this build's code.
    return page.payload.build === build ? { ...page, place } : { leave: wholeAddress(place.url) };
  }

  /** An address for a full load. The same page in another language keeps its link. */
  const wholeAddress = (url: URL) =>
    splitPath(url.pathname).page === visit.place.path ? withLink(url.href) : url.href;

  /** Only the newest of several parallel navigations continues. Returns whether another has overtaken this one. */
  function beginTurn(): () => boolean {
    turn += 1;
    const mine = turn;
    return () => mine !== turn;
  }

  function arrive(next: Visit, entry: HistoryEntry): void {
    const { path, route } = next.place;
    const isSame = path === visit.place.path;
    if (entry === 'push' && !route.carriesLink) forgetLink();
    const left = enterHistory(entry, next.place.url, isSame ? shownStep() : undefined);
    // The same page in another language keeps its focus and scroll position.
    if (isSame) show(next);
    else show({ ...next, arrival: { scroll: route.keepScroll && entry !== 'pop' ? undefined : left } });
  }

  async function failed(error: unknown, url: URL, retry: () => void): Promise<void> {
    console.error(error);
    if (error instanceof PageNotFound) {
      const missing = await notFoundAt(url).catch(() => undefined);
      if (missing) return arrive(missing, 'replace');
    }
    const outcome = await reloadOnce(wholeAddress(url));
    if (outcome === 'tried') update({ broken: true });
    else if (outcome === 'unreached') unreached(retry);
  }

  async function notFoundAt(url: URL): Promise<Visit> {
    const { language, page: path } = splitPath(url.pathname);
    const route = routes.find(({ name }) => name === 'not-found') as Route;
    return { ...(await loadPage(route, language)), place: { url, language, path, route, params: {} } };
  }

  /** Runs the guard again for the current page: at the start, and when its session is lost. */
  async function check(): Promise<void> {
    const { place } = visit;
    // The page of an error guards nothing.
    if (place.route.instead) return;
    const turnThen = turn;
    const overtaken = () => turn !== turnThen;
    await follow({ url: place.url, overtaken, retry: () => void check(), update, failed }, async () => {
      const detour = await guard(place, settings);
      if (overtaken()) return;
      if (!detour) update({ unanswered: undefined });
      else if ('leave' in detour) leaveTo(detour.leave);
      else await travel(detour.go, 'replace');
    });
    // No redirect followed: show the form that `early.ts` hid.
    if (!wasLeft()) delete document.documentElement.dataset.returning;
  }

  return { visit: () => visit, destination: () => ahead ?? visit.place.url, travel, check };
}

/**
 * Decides whether a page may be shown: looks for a session, asks the operator's redirect rules, and runs the route's
 * middleware and validation. Resolves to a detour or undefined; throws `PageNotFound`.
 */
export async function guard(place: Place, settings: PageSettings): Promise<Detour | undefined> {
  if (!place.route.withoutSession) await lookForSession();
  const detour = (settings.redirectRules && (await askRules(place))) || (await runMiddleware(place));
  if (detour) return detour;
  if (place.route.validate && !(await place.route.validate(place))) throw new PageNotFound(place.url.pathname);
  return undefined;
}

/** Ignores a refusal: `refreshSession` has recorded it, and pages of an account require a token. */
async function lookForSession(): Promise<void> {
  if (accessToken() !== undefined || !mayHaveSession()) return;
  const { refreshSession } = await import('../requests/session-requests.ts');
  await refreshSession().catch(() => undefined);
}

async function askRules(place: Place): Promise<Detour | undefined> {
  try {
    return await ruledDetour(place);
  } catch (failure) {
    console.warn('no response about redirect rules', failure);
    return undefined;
  }
}

/** A redirect: `go` to one of our addresses, or `leave` with the whole window. */
type Detour = { readonly go: string } | { readonly leave: string };
type Middleware = (place: Place) => Promise<Detour | undefined>;

/** Middleware that a route names; it runs after the guard has looked for a session. */
const middleware = {
  /** For pages of an account: sends the user to sign in, and back afterward. */
  async account({ url, language }) {
    // If only the server is unreachable, the session may be valid: the page itself reports the missing response.
    if (accessToken() !== undefined || mayHaveSession()) return undefined;
    keepReturnPlace(url);
    sessionNotice.write(sessionNotice.read() ?? 'needed');
    return { go: pathIn(language, '/') };
  },
  /** For sign-in and registration: takes signed-in users to the last place. */
  async guest({ url, language }) {
    keepServerPlace(url);
    if (accessToken() === undefined) return undefined;
    return lastPlaceOfTab(language).then(
      (leave) => ({ leave }),
      () => undefined,
    );
  },
} satisfies Record<MiddlewareName, Middleware>;

/** Runs a route's middleware in order until one returns a detour. */
async function runMiddleware(place: Place): Promise<Detour | undefined> {
  for (const name of place.route.middleware ?? []) {
    if (!Object.hasOwn(middleware, name)) throw new Error(`unknown middleware "${name}" on page ${place.route.name}`);
    const detour = await middleware[name](place);
    if (detour) return detour;
  }
  return undefined;
}

export const ruleRequest = recordRequests(async (signal, path: string) => {
  const { redirectRule } = await import('../../contract/last-place.ts');
  return sendRequest(redirectRule, { query: { path }, signal });
});

/** The detour of an operator's redirect rule, if one applies to a place. */
async function ruledDetour({ url }: Place): Promise<Detour | undefined> {
  const { redirect } = await ruleRequest.send(url.pathname);
  if (redirect === undefined || new URL(redirect, url).href === url.href) return undefined;
  return URL.canParse(redirect) ? { leave: redirect } : { go: new URL(redirect, url).href };
}
