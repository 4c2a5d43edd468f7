import { days } from '../durations.ts';

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
