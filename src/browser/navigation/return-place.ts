import { hours } from '../../contract/durations.ts';
import { splitPath } from '../../contract/languages.ts';
import { returnParameter } from '../../contract/return-parameter.ts';
import { browserStorage, tabStorage } from '../platform/storage.ts';

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

export const forgetReturnPlace = (): void => tabStorage.write('return_place', undefined);

/** Applications wait for a sign-in this long. */
const linkedFor = hours(1);

/** Remembers the page that required the sign-in for an emailed link, which opens in another tab of this browser. */
export function keepPlaceForLink(): void {
  const place = tabStorage.read('return_place');
  browserStorage.write('return_of_link', place && JSON.stringify({ place, at: Date.now() }));
}

/** Takes the remembered page over into the tab of the link, unless that is too long ago. */
export function takePlaceOfLink(): void {
  const { place, at } = browserStorage.readRecord('return_of_link');
  browserStorage.write('return_of_link', undefined);
  if (typeof place === 'string' && Number(at) > Date.now() - linkedFor) tabStorage.write('return_place', place);
}

/** The id of the application's request that the remembered page continues; undefined for any other page. */
export function requestOfReturnPlace(): string | undefined {
  const place = tabStorage.read('return_place');
  return place === undefined ? undefined : /^(?:\/[a-z]{2})?\/connect\/\?request=([\w-]+)$/.exec(place)?.[1];
}
