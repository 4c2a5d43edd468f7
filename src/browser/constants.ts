// What the specification fixes for the browser, in its section 9. Milliseconds, unless a name says otherwise.

/** The largest delay that a browser's timer takes; a longer one would fire at once. */
export const timerLimit = 2_147_483_647;
export const reloadGuard = 10_000;
export const headDebounce = 10;
export const uploadChunkBytes = 64 * 1024;
export const tooltipDelay = 200;
export const popupDispose = 150;
export const menuHide = 400;
