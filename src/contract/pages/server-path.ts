/** Addresses of the server that are no pages: they have no language. */
const serverPaths = /^\/(?:forward-auth|oidc)\//;

export const isServerPath = (path: string): boolean => serverPaths.test(path);
