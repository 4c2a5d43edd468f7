/** What is told of a browser that nobody knows; people are told it in words. */
export const unknownDevice = '–';
