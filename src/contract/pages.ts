import { days } from './units.ts';

/** Default lifetime of a cookie (specification, section 9). */
export const cookieLifetime = days(1);
export const localeCookieLifetime = days(365);

/**
 * Cookies that both sides read. Their names are the same on http and https. The secret ones are in
 * `http/session/cookies.ts`.
 */
export const csrfCookie = 'csrf_token';
export const localeCookie = 'i18n_redirected';
/** Contains no secret: the page learns from it that a refresh may succeed. */
export const sessionHintCookie = 'session_hint';
/** Its value on a shared computer. */
export const sharedHint = 'shared';

/** The kind of a page: public (`open`), for signed-in users (`account`) or operators, or shown `instead` of another page. */
export type PageKind = 'open' | 'account' | 'operator' | 'instead';

/** The expression that matches the addresses of a page whose path may have parameters, such as `/devices/:id/`. */
export const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

/** Parameter of the sign-in page: the address to which the server returns the browser after a sign-in. */
export const returnParameter = 'return_to';

/** Path of the manifest that lets a phone install the pages, in English. */
export const manifestPath = '/manifest.webmanifest';

/** Scope of the installed app's worker, which contains no page. */
export const phoneWorkerScope = '/phone-worker/';

/** Addresses of the server that are not pages: they have no language. */
const serverPaths = /^\/(?:forward-auth|oidc)\//;

export const isServerPath = (path: string): boolean => serverPaths.test(path);

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

/** Whether a host name or address is this machine itself (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
