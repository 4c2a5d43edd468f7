import { days } from './durations.ts';

/** How long a cookie lives unless it says otherwise (specification, section 9). */
export const cookieLifetime = days(1);
export const localeCookieLifetime = days(365);

/** Cookies that both sides read; their names are the same on http and https. The secret ones are in `http/session/cookies.ts`. */
export const csrfCookie = 'csrf_token';
export const localeCookie = 'i18n_redirected';
/** Holds no secret: tells the page that asking for a refresh may succeed. */
export const sessionHintCookie = 'session_hint';
/** Its value on a computer that others use as well. */
export const sharedHint = 'shared';
