import { type LanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import { tabStorage } from '../platform/storage.ts';
import { sendRequest } from '../requests/send-request.ts';
import { leaveTo } from './leave.ts';

/** Remembers the page that asked for signing in, to come back to it afterwards. */
export const keepReturnPlace = (url: URL): void => tabStorage.write('return_place', url.pathname + url.search);

function takeReturnPlace(): string | undefined {
  const place = tabStorage.read('return_place');
  tabStorage.write('return_place', undefined);
  if (place === undefined || !URL.canParse(place, location.origin)) return undefined;
  return new URL(place, location.origin).origin === location.origin ? place : undefined;
}

/** The page that asked for signing in, or else the account's last place; a page of ours in the language that is shown now. */
export async function lastPlace(language: LanguageCode): Promise<string> {
  const { readLastPlace } = await import('../../contract/last-place.ts');
  const asked = takeReturnPlace();
  if (asked !== undefined) return pathIn(language, splitPath(asked).page);
  return (await sendRequest(readLastPlace, { query: { locale: language } })).last_place;
}

/** Moves the whole window to the last place. */
export const goToLastPlace = async (language: LanguageCode): Promise<void> => leaveTo(await lastPlace(language));
