import { type LanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import { tabStorage } from '../platform/storage.ts';
import { RequestFailure } from '../requests/request-failure.ts';
import { sendRequest } from '../requests/send-request.ts';
import { leaveTo } from './leave.ts';

/** Remembers the page that required a sign-in, to return there afterwards. */
export const keepReturnPlace = (url: URL): void => tabStorage.write('return_place', url.pathname + url.search);

function takeReturnPlace(): string | undefined {
  const place = tabStorage.read('return_place');
  tabStorage.write('return_place', undefined);
  if (place === undefined || !URL.canParse(place, location.origin)) return undefined;
  return new URL(place, location.origin).origin === location.origin ? place : undefined;
}

/** The page that required the sign-in, or else the account's last place, in the current language. */
export async function lastPlace(language: LanguageCode): Promise<string> {
  const { readLastPlace } = await import('../../contract/last-place.ts');
  const asked = takeReturnPlace();
  if (asked !== undefined) return pathIn(language, splitPath(asked).page);
  return (await sendRequest(readLastPlace, { query: { locale: language } })).last_place;
}

/**
 * Navigates the whole window to the last place after a sign-in. The session exists, so an error of the server leads to
 * `otherwise`; without a response the caller can try again.
 */
export async function goToLastPlace(language: LanguageCode, otherwise = '/dashboard/'): Promise<void> {
  const place = await lastPlace(language).catch((failure: unknown) => {
    if (failure instanceof RequestFailure && failure.status !== undefined) return pathIn(language, otherwise);
    throw failure;
  });
  leaveTo(place);
}
