import { reloadGuard } from '../contract/constants.ts';
import { tabStorage } from './storage.ts';

let reloading = false;

/**
 * Loads the page anew after a part of it could not be loaded, most likely because its build is gone: at most
 * once in 10 seconds. False when that was tried already.
 */
export function reloadOnce(address: string = location.href): boolean {
  const last = Number(tabStorage.read('reloaded_at') ?? 0);
  if (!reloading && Date.now() - last < reloadGuard) return false;
  reloading = true;
  tabStorage.write('reloaded_at', String(Date.now()));
  if (address === location.href) location.reload();
  else location.assign(address);
  return true;
}
