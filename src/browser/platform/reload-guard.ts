import { reloadGuard } from '../constants.ts';
import { tabStorage } from './storage.ts';

/** A loop, such as of two services that disagree about a session, navigates more often in a row than this. */
const mostInARow = 5;
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
  const mayGo = count < mostInARow;
  tabStorage.write('left', mayGo ? String(now - (now % 10) + count + 1) : undefined);
  return mayGo;
}

let reloading = false;

/** Milliseconds. */
const answerWithin = 10_000;

/** Whether the server responds. A reload that cannot succeed must not discard typed text. */
export const serverAnswers = (): Promise<boolean> =>
  fetch('/builds/latest.json', { cache: 'no-store', signal: AbortSignal.timeout(answerWithin) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Reloads the page after a part of it failed to load, most likely because its build is gone: at most once in
 * 10 seconds (`tried`), and only if the server responds (`unreached`).
 */
export async function reloadOnce(address: string = location.href): Promise<'reloading' | 'tried' | 'unreached'> {
  if (!(await serverAnswers())) return 'unreached';
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
