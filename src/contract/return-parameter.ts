/** In the address of the sign-in page: where the server wants the browser to return after a sign-in. */
export const returnParameter = 'return_to';

/** Addresses of the server, which are no pages: they have no language. */
const serverPlaces = /^\/(?:forward-auth|oidc)\//;

export const isServerPlace = (path: string): boolean => serverPlaces.test(path);
