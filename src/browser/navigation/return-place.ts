import { splitPath } from '../../contract/languages.ts';
import { returnParameter } from '../../contract/pages/return-parameter.ts';
import { tabStorage } from '../platform/storage.ts';

/** Remembers the page that required a sign-in, to return there afterwards. */
export const keepReturnPlace = (url: URL): void => tabStorage.write('return_place', url.pathname + url.search);

/** The remembered page, as a path with its query; forgets it. */
export function takeReturnPlace(): string | undefined {
  const place = tabStorage.read('return_place');
  forgetReturnPlace();
  if (place === undefined || !URL.canParse(place, location.origin)) return undefined;
  return ownPlace(new URL(place, location.origin));
}

/** Without its language, `/de//other.example` would lead to another site. */
const ownPlace = ({ origin, pathname, search }: URL): string | undefined =>
  origin === location.origin && !splitPath(pathname).page.startsWith('//') ? pathname + search : undefined;

/** Remembers where the server wants to continue after a sign-in, if the address says so. `takeReturnPlace` checks it. */
export function keepServerPlace({ searchParams }: URL): void {
  const place = searchParams.get(returnParameter);
  if (place) tabStorage.write('return_place', place);
}

/** The page to return to after a sign-in; empty without one. A new page has not stored the server's place yet. */
export const readReturnPlace = (): string =>
  new URLSearchParams(location.search).get(returnParameter) ?? tabStorage.read('return_place') ?? '';

export const forgetReturnPlace = (): void => tabStorage.write('return_place', undefined);
