/** Durations in milliseconds, so that a constant's unit stands where it is made. */
export const seconds = (count: number): number => count * 1000;
export const minutes = (count: number): number => seconds(count * 60);
export const hours = (count: number): number => minutes(count * 60);
export const days = (count: number): number => hours(count * 24);

// Specification, section 9.
export const textLimit = 180;
/** The last digits of the calling number, which confirm a phone. */
export const phoneDigits = 4;
export const cookieLifetime = days(1);
/** The largest delay that a browser's timer takes; a longer one would fire at once. */
export const timerLimit = 2_147_483_647;
export const localeCookieLifetime = days(365);
export const reloadGuard = 10_000;
export const headDebounce = 10;
/** Bytes. */
export const uploadChunk = 64 * 1024;
export const tooltipDelay = 200;
export const popupDispose = 150;
export const menuHide = 400;

/** How often an open page asks for the newest build. */
export const buildPoll = minutes(1);

// Security parameters that both sides of the contract speak of.
export const passwordMinLength = 6;
export const passwordMaxLength = 128;
export const promoCodeMinLength = 6;
export const dbTypeLimit = 64;
export const accessTokenLifetime = minutes(10);
export const refreshGrace = seconds(10);
export const sessionIdleLifetime = days(14);
export const sessionLifetime = days(30);
export const resetLinkLifetime = hours(1);
export const callLifetime = minutes(5);
export const callResend = seconds(60);
export const deviceLifetime = days(365);
/** Bytes of a request body. */
export const bodyLimit = 16 * 1024;

/** Cookie names that stay the same on http and https; the two secret ones are in `http/cookies.ts`. */
export const csrfCookie = 'csrf_token';
export const localeCookie = 'i18n_redirected';
export const themeCookie = 'theme';
/** Readable, holds no secret: tells the page that asking for a refresh may succeed. */
export const sessionHintCookie = 'session_hint';
export const xsrfCookie = 'XSRF-TOKEN';

/** Stands where a failure's reference goes in the HTML of `error` and `not-found`; the server puts it in. */
export const referencePlaceholder = '%REFERENCE%';
