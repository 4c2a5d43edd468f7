let leaving = false;

/** Whether this page has left. A page restored from the back/forward cache still knows. */
export const wasLeft = (): boolean => leaving;

/** Navigates the whole window. Throws unless it is http(s): an injected `javascript:` address must never run. */
export function leaveTo(address: string): void {
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw new Error(`not a web address: ${url.protocol}`);
  leaving = true;
  location.assign(url);
}
