import { cell } from '../platform/cell.ts';
import { mayNavigate } from '../platform/reload-guard.ts';

/** Whether the page stays because leaving it again would continue a loop; the error page replaces it. */
export const isLooping = cell(false);

let leaving = false;

/** Whether this page has left. A page restored from the back/forward cache still knows. */
export const wasLeft = (): boolean => leaving;

/**
 * Navigates the whole window, unless it would continue a loop. Throws unless it is http(s): an injected `javascript:`
 * address must never run.
 */
export function leaveTo(address: string): void {
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw new Error('not a web address');
  leaving = mayNavigate();
  if (leaving) location.assign(url);
  else isLooping.write(true);
}
