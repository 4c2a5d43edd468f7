import { splitPath } from '../../contract/languages.ts';
import { newBuild } from '../platform/new-build.ts';
import { reloadOnce, serverAnswers } from '../platform/reload-guard.ts';
import { follow, type Unanswered } from './follow.ts';
import { guard } from './guard.ts';
import { forgetLink, keepQuery, withLink } from './kept-query.ts';
import { leaveTo, wasLeft } from './leave.ts';
import { keepPayload, type LoadedPage, loadPage } from './load-page.ts';
import type { Detour } from './middleware.ts';
import { PageNotFound, type Place, placeOf, type Route } from './route.ts';
import { enterHistory, type HistoryEntry, shownStep } from './scroll.ts';

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
  readonly unanswered: Unanswered | undefined;
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
  keepPayload(first.place.route, first.payload);

  function show(next: Visit): void {
    visit = next;
    update({ visit, broken: false, unanswered: undefined });
  }

  async function travel(address: string, entry: HistoryEntry = 'push', detours = 0): Promise<void> {
    const url = new URL(address, location.href);
    const overtaken = beginTurn();
    const retry = () => void travel(address, entry);
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
  }

  const loadAnew = async (url: URL, retry: () => void) =>
    (await serverAnswers()) ? leaveTo(wholeAddress(url)) : unreached(retry);

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

  return { visit: () => visit, travel, check };
}
