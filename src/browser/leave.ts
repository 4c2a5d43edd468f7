/** Moves the whole window. Only http(s): a `javascript:` address from wherever must never run here. */
export function leaveTo(address: string): void {
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw new Error(`not a web address: ${url.protocol}`);
  location.assign(url);
}
