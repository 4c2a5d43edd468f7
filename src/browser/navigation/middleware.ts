import { pathIn } from '../../contract/languages.ts';
import { accessToken, mayHaveSession, sessionNotice } from '../requests/session.ts';
import { keepReturnPlace, lastPlace } from './last-place.ts';
import type { MiddlewareName, Place } from './route.ts';

/** Another place instead: an address of ours, or one for the whole window. */
export type Detour = { readonly go: string } | { readonly leave: string };
type Middleware = (place: Place) => Promise<Detour | undefined>;

/** What a route may ask for by name, after the guard has looked for a session. */
const middleware = {
  /** Pages of an account: sign in first, and come back. */
  async account({ url, language }) {
    // With a session that could not be asked for just now, the page itself says that nothing answers.
    if (accessToken() !== undefined || mayHaveSession()) return undefined;
    keepReturnPlace(url);
    sessionNotice.write(sessionNotice.read() ?? 'needed');
    return { go: pathIn(language, '/') };
  },
  /** Pages for getting in: whoever is in already is taken to the last place. */
  async guest({ language }) {
    if (accessToken() === undefined) return undefined;
    return lastPlace(language).then(
      (leave) => ({ leave }),
      () => undefined,
    );
  },
} satisfies Record<MiddlewareName, Middleware>;

/** Runs a route's middleware in order, until one sends elsewhere. */
export async function runMiddleware(place: Place): Promise<Detour | undefined> {
  for (const name of place.route.middleware ?? []) {
    if (!Object.hasOwn(middleware, name)) throw new Error(`unknown middleware "${name}" on page ${place.route.name}`);
    const detour = await middleware[name](place);
    if (detour) return detour;
  }
  return undefined;
}
