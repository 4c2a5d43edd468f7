/** Addresses of the server that are no pages: they have no language. */
const serverPlaces = /^\/(?:forward-auth|oidc)\//;

export const isServerPlace = (path: string): boolean => serverPlaces.test(path);
