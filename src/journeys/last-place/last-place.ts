import { refuse } from '../../contract/failures.ts';
import { type LanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import { rememberLastPlace } from '../../contract/last-place.ts';
import { patternOf } from '../../contract/pages.ts';
import type { Service } from '../../server/service.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { setLastPlace } from '../../store/accounts/accounts.ts';

interface LastPlaceQuery {
  readonly account: AccountsTable;
  /** Language of the requesting page: the user may have just chosen it, so it replaces the remembered one. */
  readonly language: LanguageCode | undefined;
}

/** The owner's last place. Without one, a sign-in leads to `PRODUCT_URL`, to the computers or to the account. */
export async function lastPlace(service: Service, { account, language }: LastPlaceQuery): Promise<string> {
  const { config, parts, store } = service;
  // Checked again on each read: the operator may have removed the origin from the allow-list.
  const remembered = account.last_place === null ? undefined : readPlace(service, account.last_place);
  if (remembered !== undefined) return language ? placeIn(service, { place: remembered, language }) : remembered;
  if (config.PRODUCT_URL) return config.PRODUCT_URL;
  const [part] = config.DEVICES === 'on' ? parts : [];
  return pathIn(language ?? account.locale, part ? await part.startPage(store, account.id) : '/account/');
}

/** The same page in another language; a place that is not one of our pages stays unchanged. */
function placeIn({ pages }: PlaceRules, { place, language }: { place: string; language: LanguageCode }): string {
  const { page } = splitPath(place);
  const [path = ''] = page.split(/[?#]/, 1);
  return pages.some((one) => patternOf(one.path).test(path)) ? pathIn(language, page) : place;
}

/** Remembers a place of the product. Refuses any other with `place_not_allowed`. */
export async function remember(service: Service, accountId: string, place: string): Promise<void> {
  const allowed = readPlace(service, place);
  if (allowed === undefined) throw refuse(rememberLastPlace, 'place_not_allowed');
  await setLastPlace(service.store, accountId, allowed);
}

interface PlaceRules {
  readonly config: Pick<Service['config'], 'PUBLIC_URL' | 'PRODUCT_URL' | 'PLACE_ORIGINS'>;
  readonly pages: readonly Pick<Service['pages'][number], 'path' | 'kind'>[];
}

// URL parsers disagree on these characters (WHATWG URL: backslashes are slashes, tabs and line breaks vanish).
const ambiguous = /[\\\p{Cc}\p{Zl}\p{Zp}\s]/u;
const absoluteOrRooted = /^(?:https?:\/\/[^/]|\/(?!\/))/i;

/**
 * The place as it is kept: a path for our own origin, a whole URL for another one on the allow-list; undefined for
 * anything else. Compared by origin, never by prefix (OWASP Unvalidated Redirects Cheat Sheet).
 */
export function readPlace({ config, pages }: PlaceRules, place: string): string | undefined {
  if (ambiguous.test(place) || !absoluteOrRooted.test(place)) return undefined;
  const url = URL.parse(place, config.PUBLIC_URL);
  if (url?.username !== '' || url.password !== '') return undefined;
  if (url.origin === config.PUBLIC_URL) {
    return isOwnPlace(pages, url.pathname) ? `${url.pathname}${url.search}${url.hash}` : undefined;
  }
  const product = config.PRODUCT_URL && new URL(config.PRODUCT_URL).origin;
  return url.origin === product || config.PLACE_ORIGINS.includes(url.origin) ? url.href : undefined;
}

/** Excludes the pages for signed-out users: as a last place, one of them would cause a redirect loop. */
function isOwnPlace(pages: PlaceRules['pages'], path: string): boolean {
  if (path.startsWith('//')) return false;
  // English has no prefix: a path with one redirects to the path without it.
  const bare = path.replace(/^\/en(?=\/|$)/, '');
  const address = bare.endsWith('/') ? bare : `${bare}/`;
  return !pages.some((page) => page.kind === 'open' && page.path === address);
}
