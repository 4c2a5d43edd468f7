// Values that section 9 of the specification fixes for the browser. Milliseconds, unless a name says otherwise.

/** The longest delay of a browser's timer; a longer one would fire immediately. */
export const timerLimit = 2_147_483_647;
export const reloadGuard = 10_000;
export const headDebounce = 10;
export const uploadChunkBytes = 64 * 1024;
export const tooltipDelay = 200;
export const popupDispose = 150;
export const menuHide = 400;
