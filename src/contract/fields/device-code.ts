/** A typed code of a device in the form that the device shows: `WDJB-MJHT`. */
export const asDeviceShows = (typed: string): string =>
  typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z\d]/g, '')
    .replace(/^(.{4})(.{4})$/, '$1-$2');
