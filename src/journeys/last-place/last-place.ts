import { Failure } from '../../contract/failures.ts';
import { pathIn, splitPath } from '../../contract/languages.ts';
import { findAccount, rememberPlace } from '../../store/accounts.ts';
import type { Store } from '../../store/database.ts';

export interface WayDeps {
  readonly store: Store;
  readonly settings: {
    readonly PUBLIC_URL: string;
    readonly PRODUCT_URL?: string | undefined;
    readonly PLACE_ORIGINS: readonly string[];
  };
}

/** Where an account's owner was last; a new account begins where computers are added. */
export async function lastPlace({ store, settings }: WayDeps, accountId: string): Promise<string> {
  const account = await findAccount(store, accountId);
  if (!account) throw new Failure('not_signed_in');
  // Asked again at each reading: an origin may have left the allow-list since.
  const remembered = account.last_place === null ? undefined : readPlace(settings, account.last_place);
  return remembered ?? settings.PRODUCT_URL ?? pathIn(account.locale, '/computers/add/');
}

/** Remembers a place of the product. Refuses any other with `place_not_allowed`. */
export async function remember({ store, settings }: WayDeps, accountId: string, place: string): Promise<void> {
  const allowed = readPlace(settings, place);
  if (allowed === undefined) throw new Failure('place_not_allowed');
  await rememberPlace(store, accountId, allowed);
}

// What URL parsers read differently (WHATWG URL: backslashes are slashes, tabs and line breaks vanish) is never a place.
const ambiguous = /[\\\p{Cc}\p{Zl}\p{Zp}\s]/u;
const absoluteOrRooted = /^(?:https?:\/\/[^/]|\/(?!\/))/i;

/**
 * The place as it is kept: a path for our own origin, a whole URL for another one on the allow-list; undefined for
 * anything else. Compared by origin, never by prefix (OWASP Unvalidated Redirects Cheat Sheet).
 */
export function readPlace(settings: WayDeps['settings'], place: string): string | undefined {
  if (ambiguous.test(place) || !absoluteOrRooted.test(place)) return undefined;
  const url = URL.parse(place, settings.PUBLIC_URL);
  if (url?.username !== '' || url.password !== '') return undefined;
  if (url.origin === settings.PUBLIC_URL) {
    return isOwnPlace(url.pathname) ? `${url.pathname}${url.search}${url.hash}` : undefined;
  }
  const product = settings.PRODUCT_URL && new URL(settings.PRODUCT_URL).origin;
  return url.origin === product || settings.PLACE_ORIGINS.includes(url.origin) ? url.href : undefined;
}

/** Screens of people who are not signed in: one of them as last place would lead in circles. */
const doors = ['/', '/register/', '/recovery/', '/reset-password/', '/confirm-mail/'];

function isOwnPlace(path: string): boolean {
  if (path.startsWith('//')) return false;
  // English has no prefix, but a path with it is moved to the one without.
  const { page } = splitPath(path.replace(/^\/en(?=\/|$)/, '') || '/');
  return !doors.includes(page.endsWith('/') ? page : `${page}/`);
}
