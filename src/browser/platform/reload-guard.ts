import { reloadGuard } from '../constants.ts';
import { tabStorage } from './storage.ts';

let reloading = false;

/**
 * Loads the page anew after a part of it could not be loaded, most likely because its build is gone: at most
 * once in 10 seconds. False when that was tried already.
 */
export function reloadOnce(address: string = location.href): boolean {
  if (!reloading && !mayReload()) return false;
  reloading = true;
  if (address === location.href) location.reload();
  else location.assign(address);
  return true;
}

function mayReload(): boolean {
  const last = Number(tabStorage.read('reloaded_at') ?? 0);
  if (Date.now() - last < reloadGuard) return false;
  tabStorage.write('reloaded_at', String(Date.now()));
  return tabStorage.lasts('reloaded_at') || !isFreshReload();
}

/** All that a page without storage knows of the reload that it may come from. */
function isFreshReload(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.type === 'reload' && performance.now() < reloadGuard;
}
