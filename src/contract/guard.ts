/** Below this path, the host of a guarded application passes requests on to this service. */
export const guardPath = '/.vestibule/';

/**
 * Whether browsers get the response from the host of an application: it is the guard's decision, or it is below
 * `guardPath` in any spelling that a reverse proxy may take for it.
 */
export function isForGuardedHost(url: string): boolean {
  // `..` is resolved before `%2F` is decoded: no path of a page of ours may count.
  const { pathname = '' } = URL.parse(`http://host${url}`) ?? {};
  const path = decoded(pathname).replace(/\/+/g, '/').toLowerCase();
  return path.startsWith(guardPath) || /^\/forward-auth\/[^/]*$/.test(path);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
