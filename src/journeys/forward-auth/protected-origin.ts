import type { Client } from '../../store/applications/clients.ts';

/** Below this path, an application's host passes requests on to this service. */
export const guardPath = '/.vestibule/';
const callbackPath = `${guardPath}callback`;

/** The origins that a client protects: those of its redirect URIs that end in `/.vestibule/callback`. */
export function protectedOrigins({ redirectUris }: Pick<Client, 'redirectUris'>): readonly string[] {
  return redirectUris.flatMap((uri) => {
    const url = URL.parse(uri);
    return url && url.href === `${url.origin}${callbackPath}` ? [url.origin] : [];
  });
}

export const callbackOf = (origin: string): string => `${origin}${callbackPath}`;

const longestPlace = 2000;

/** A path on an origin with its query; `/` for anything that leads elsewhere. */
export function placeOn(origin: string, given: string | undefined): string {
  if (given === undefined || given.length > longestPlace || !/^\/(?![/\\])/.test(given)) return '/';
  const url = URL.parse(given, origin);
  if (url?.origin !== origin || url.pathname.startsWith('//') || url.pathname.startsWith(guardPath)) return '/';
  return url.pathname + url.search;
}
