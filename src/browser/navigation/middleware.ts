import { pathIn } from '../../contract/languages.ts';
import { accessToken, mayHaveSession, sessionNotice } from '../requests/session.ts';
import { lastPlaceOfTab } from './last-place.ts';
import { keepReturnPlace, keepServerPlace } from './return-place.ts';
import type { MiddlewareName, Place } from './route.ts';

/** A redirect: `go` to one of our addresses, or `leave` with the whole window. */
export type Detour = { readonly go: string } | { readonly leave: string };
type Middleware = (place: Place) => Promise<Detour | undefined>;

/** Middleware that a route names; it runs after the guard has looked for a session. */
const middleware = {
  /** For pages of an account: sends the user to sign in, and back afterwards. */
  async account({ url, language }) {
    // If only the server is unreachable, the session may be valid: the page itself reports the missing response.
    if (accessToken() !== undefined || mayHaveSession()) return undefined;
    keepReturnPlace(url);
    sessionNotice.write(sessionNotice.read() ?? 'needed');
    return { go: pathIn(language, '/') };
  },
  /** For sign-in and registration: takes signed-in users to the last place. */
  async guest({ url, language }) {
    keepServerPlace(url);
    if (accessToken() === undefined) return undefined;
    return lastPlaceOfTab(language).then(
      (leave) => ({ leave }),
      () => undefined,
    );
  },
} satisfies Record<MiddlewareName, Middleware>;

/** Runs a route's middleware in order until one returns a detour. */
export async function runMiddleware(place: Place): Promise<Detour | undefined> {
  for (const name of place.route.middleware ?? []) {
    if (!Object.hasOwn(middleware, name)) throw new Error(`unknown middleware "${name}" on page ${place.route.name}`);
    const detour = await middleware[name](place);
    if (detour) return detour;
  }
  return undefined;
}
