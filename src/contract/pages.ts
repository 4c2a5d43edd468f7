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
