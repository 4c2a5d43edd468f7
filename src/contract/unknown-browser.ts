/** Stands for an unknown browser; people see words instead. */
export const unknownBrowser = '–';
