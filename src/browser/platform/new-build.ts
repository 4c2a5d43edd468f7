import { minutes } from '../../contract/units.ts';
import { reloadGuard } from '../constants.ts';
import { isDirty } from '../forms/draft.ts';
import { linkIsFleeting } from '../navigation/kept-query.ts';
import { cell, tabStorage } from './storage.ts';

/** How often an open page checks for a newer build. */
const buildPoll = minutes(1);

/** Checks for a newer build while the tab is visible. */
export function followBuilds(own: string): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState !== 'visible') return;
    checkForBuild(own).catch((error) => console.warn('no build manifest', error));
  }, buildPoll);
  return () => clearInterval(timer);
}

/** Fetches the id of the newest build and reloads the page if it differs, unless typed text would be lost. */
async function checkForBuild(own: string): Promise<void> {
  const { id } = await fetchManifest('latest');
  // During a rolling deploy the nodes disagree: reload once per build, not on every response.
  if (id === own || id === tabStorage.read('reloaded_for')) return;
  await fetchManifest(`meta/${id}`);
  newBuild.write(true);
  if (isDirty() || linkIsFleeting()) return;
  tabStorage.write('reloaded_for', id);
  location.reload();
}

async function fetchManifest(name: string): Promise<{ id: string }> {
  const response = await fetch(`/builds/${name}.json`, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`/builds/${name}.json: ${response.status}`);
  return response.json();
}

/** Whether the next navigation must load the whole page because there is a newer build. */
export const newBuild = cell(false);

/** A loop, such as of two services that disagree about a session, navigates more often in a row than this. */
const maxReloadsInARow = 5;
/** Milliseconds. A navigation that follows later begins a new row. */
const rowGap = 30_000;

/**
 * Counts an automatic navigation of the whole window. False if it would continue a loop of pages that the user has not
 * touched: the page then says that something went wrong, and what the user does next begins a new row.
 */
export function mayNavigate(): boolean {
  // Milliseconds since 1970, but the last digit counts the navigations in a row.
  const last = Number(tabStorage.read('left') ?? 0);
  const now = Date.now();
  const isInRow = !navigator.userActivation?.hasBeenActive && Math.abs(now - last) < rowGap;
  const count = isInRow ? last % 10 : 0;
  const mayGo = count < maxReloadsInARow;
  tabStorage.write('left', mayGo ? String(now - (now % 10) + count + 1) : undefined);
  return mayGo;
}

let reloading = false;

const responseTimeout = 10_000;

/** Whether the server responds. A reload that cannot succeed must not discard typed text. */
export const serverResponds = (): Promise<boolean> =>
  fetch('/builds/latest.json', { cache: 'no-store', signal: AbortSignal.timeout(responseTimeout) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Calls `act` once the server responds; looks regularly and when a network appears. Returns a function that cancels it. */
export function onceReachable(act: () => void): () => void {
  let isOver = false;
  const look = async () => {
    if ((await serverResponds()) && !isOver) act();
  };
  const timer = setInterval(look, responseTimeout);
  addEventListener('online', look);
  return () => {
    isOver = true;
    clearInterval(timer);
    removeEventListener('online', look);
  };
}

/**
 * Reloads the page after a part of it failed to load, most likely because its build is gone: at most once in
 * 10 seconds (`tried`), and only if the server responds (`unreached`).
 */
export async function reloadOnce(address: string = location.href): Promise<'reloading' | 'tried' | 'unreached'> {
  if (!(await serverResponds())) return 'unreached';
  if (!reloading && !(mayReload() && mayNavigate())) return 'tried';
  reloading = true;
  if (address === location.href) location.reload();
  else location.assign(address);
  return 'reloading';
}

function mayReload(): boolean {
  const last = Number(tabStorage.read('reloaded_at') ?? 0);
  // `abs`, since someone may set the clock back.
  if (Math.abs(Date.now() - last) < reloadGuard) return false;
  tabStorage.write('reloaded_at', String(Date.now()));
  return tabStorage.lasts('reloaded_at') || !isFreshReload();
}

/** Whether this page was just reloaded; the only evidence that a page without storage has. */
function isFreshReload(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.type === 'reload' && performance.now() < reloadGuard;
}
