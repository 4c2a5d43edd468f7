import { reloadGuard } from '../constants.ts';
import { tabStorage } from './storage.ts';

let reloading = false;

/** Milliseconds. */
const answerWithin = 10_000;

/** Whether the server answers: nothing that was typed is thrown away for a page that cannot come. */
export const serverAnswers = (): Promise<boolean> =>
  fetch('/builds/latest.json', { cache: 'no-store', signal: AbortSignal.timeout(answerWithin) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Loads the page anew after a part of it could not be loaded, most likely because its build is gone: at most once in
 * 10 seconds (`tried`), and never before the server answers (`unreached`).
 */
export async function reloadOnce(address: string = location.href): Promise<'reloading' | 'tried' | 'unreached'> {
  if (!(await serverAnswers())) return 'unreached';
  if (!reloading && !mayReload()) return 'tried';
  reloading = true;
  if (address === location.href) location.reload();
  else location.assign(address);
  return 'reloading';
}

function mayReload(): boolean {
  const last = Number(tabStorage.read('reloaded_at') ?? 0);
  // Either way, since a clock can be put back.
  if (Math.abs(Date.now() - last) < reloadGuard) return false;
  tabStorage.write('reloaded_at', String(Date.now()));
  return tabStorage.lasts('reloaded_at') || !isFreshReload();
}

/** All that a page without storage knows of the reload that may have brought it. */
function isFreshReload(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.type === 'reload' && performance.now() < reloadGuard;
}
