import { type LanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import { isServerPath, returnParameter } from '../../contract/pages.ts';
import { hours } from '../../contract/units.ts';
import { mayNavigate } from '../platform/new-build.ts';
import { browserStorage, cell, openChannel, tabStorage } from '../platform/storage.ts';
import { RequestFailure, recordRequests } from '../requests/request-status.ts';
import { sendRequest } from '../requests/send-request.ts';
import { accessToken, accountOf, isForApplication } from '../requests/session.ts';

const wayRequest = recordRequests(async (signal, locale: LanguageCode) => {
  const { readLastPlace } = await import('../../contract/last-place.ts');
  return (await sendRequest(readLastPlace, { query: { locale }, signal })).last_place;
});

/** The remembered page, as a path with its query, unless somebody else was there; forgets it. */
function takeReturnPlace(): string | undefined {
  const kept = tabStorage.read('return_place');
  forgetReturnPlace();
  if (kept === undefined || !URL.canParse(kept, location.origin)) return undefined;
  const { origin, pathname, search } = new URL(kept, location.origin);
  const { page } = splitPath(pathname);
  // Without its language, `/de//other.example` would lead to another site.
  if (origin !== location.origin || page.startsWith('//')) return undefined;
  const [former, account] = [tabStorage.read('account'), accountOf(accessToken())];
  const isOthers = former !== undefined && account !== undefined && former !== account;
  return isOthers && !isServerPath(pathname) && !isForApplication(page) ? undefined : pathname + search;
}

/** The page that required the sign-in, or else the account's last place, in the current language. */
export async function lastPlace(language: LanguageCode): Promise<string> {
  const asked = takeReturnPlace();
  if (asked === undefined) return wayRequest.send(language);
  return isServerPath(asked) ? asked : pathIn(language, splitPath(asked).page);
}

/** The last place of the user whose token the tab has stored. Rejects, and the token is gone, if the server refuses it. */
export async function lastPlaceOfTab(language: LanguageCode): Promise<string> {
  // The server only reads the cookies there, and sends users back whose session has ended.
  if (isServerPath(readReturnPlace())) await (await import('../requests/session-requests.ts')).refreshSession();
  return lastPlace(language);
}

/**
 * Navigates the whole window to the last place after a sign-in. The session exists, so an error of the server leads to
 * `otherwise`; without a response the caller can try again.
 */
export async function goToLastPlace(language: LanguageCode, otherwise = '/account/'): Promise<void> {
  const place = await lastPlace(language).catch((failure: unknown) => {
    if (failure instanceof RequestFailure && failure.status !== undefined) return pathIn(language, otherwise);
    throw failure;
  });
  // Tabs that still show the account of the former session read it again, as after `notifyAccountChanged`.
  openChannel<'changed'>('account', () => undefined)?.postMessage('changed');
  leaveTo(place);
}

/** Remembers the page that required a sign-in, to return there afterward. */
export const keepReturnPlace = (url: URL): void => tabStorage.write('return_place', url.pathname + url.search);

/** Remembers where the server wants to continue after a sign-in, if the address says so. `lastPlace` checks it. */
export function keepServerPlace({ searchParams }: URL): void {
  const place = searchParams.get(returnParameter);
  if (place) tabStorage.write('return_place', place);
}

/** The page to return to after a sign-in; empty without one. A new page has not stored the server's place yet. */
export const readReturnPlace = (): string =>
  new URLSearchParams(location.search).get(returnParameter) ?? tabStorage.read('return_place') ?? '';

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

/** Whether the page stays because leaving it again would continue a loop; the error page replaces it. */
export const isLooping = cell(false);

let leaving = false;

/** Whether this page has left. A page restored from the back/forward cache still knows. */
export const wasLeft = (): boolean => leaving;

/**
 * Navigates the whole window, unless it would continue a loop. Throws unless it is http(s): an injected `javascript:`
 * address must never run.
 */
export function leaveTo(address: string): void {
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw new Error('not a web address');
  leaving = mayNavigate();
  if (leaving) location.assign(url);
  else isLooping.write(true);
}
