let leaving = false;

/** Whether the window was moved on: a page that the browser kept says what it did while it was left. */
export const wasLeft = (): boolean => leaving;

/** Moves the whole window. Only http(s): a `javascript:` address from wherever must never run here. */
export function leaveTo(address: string): void {
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw new Error(`not a web address: ${url.protocol}`);
  leaving = true;
  location.assign(url);
}
