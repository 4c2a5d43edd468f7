/** Addresses of the server that are not pages: they have no language. */
const serverPaths = /^\/(?:forward-auth|oidc)\//;

export const isServerPath = (path: string): boolean => serverPaths.test(path);
