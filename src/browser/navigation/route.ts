import type { ComponentType } from 'react';
import { type LanguageCode, splitPath } from '../../contract/languages.ts';
import { patternOf } from '../../contract/pages.ts';
import type { MessageId } from '../../messages/ids.ts';

type Head = Extract<MessageId, `${string}.page`> extends `${infer Name}.page` ? Name : never;

/** What runs before a page is shown (`trips.ts`). */
export type MiddlewareName = 'account' | 'guest';

/** One entry of the list in `pages.ts`. */
export interface Route {
  readonly name: string;
  /** The English path, with parameters as `:id`; other languages put their prefix before it. */
  readonly path: string;
  readonly screen: () => Promise<{ default: ComponentType }>;
  /** Prefix of its title and description in the messages: `<head>.page`, `<head>.description`. */
  readonly head: Head;
  readonly middleware?: readonly MiddlewareName[];
  /** False shows the 404 page. */
  readonly validate?: (place: Place) => boolean | Promise<boolean>;
  /** Does not look for a session at all. */
  readonly withoutSession?: true;
  /** Names of the pages to prefetch once the user interacts with this one. */
  readonly likelyNext?: readonly string[];
  /** Emails link here with a secret, which no other page takes from its address. */
  readonly carriesLink?: true;
  /** Does not scroll to the top. */
  readonly keepScroll?: true;
  /** Whether search engines may list it. */
  readonly index?: true;
  /** A page for computers and smartphones, which a service without devices leaves out. */
  readonly wing?: 'devices';
  /** A page of the console. */
  readonly operators?: true;
  /** Replaces another page, so it has no address of its own. */
  readonly instead?: true;
}

/** In the lists, a name that differs from `head` only by its hyphens is left out. */
export type ListedRoute = Omit<Route, 'name'> & Partial<Pick<Route, 'name'>>;

export const named = (listed: ListedRoute): Route => ({ name: listed.head.replaceAll('_', '-'), ...listed });

/** The address, route and language of a page. */
export interface Place {
  readonly url: URL;
  readonly language: LanguageCode;
  /** The English path. */
  readonly path: string;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** 404: a route's `validate` rejected the address, or no route matches it. */
export class PageNotFound extends Error {
  readonly status = 404;
  constructor(path: string) {
    super(`Page Not Found: ${path}`);
    this.name = 'PageNotFound';
  }
}

/** The place at an address; undefined if no route matches. */
export function placeOf(routes: readonly Route[], url: URL): Place | undefined {
  const { language, page: path } = splitPath(url.pathname);
  for (const route of routes) {
    const match = patternOf(route.path).exec(path);
    if (match) return { url, language, path, route, params: { ...match.groups } };
  }
  return undefined;
}
