import { type LanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import { isServerPath } from '../../contract/pages/server-path.ts';
import { recordRequests } from '../requests/record-requests.ts';
import { RequestFailure } from '../requests/request-failure.ts';
import { sendRequest } from '../requests/send-request.ts';
import { leaveTo } from './leave.ts';
import { takeReturnPlace } from './return-place.ts';

/** The request for the account's last place, in a language. */
export const wayRequest = recordRequests(async (signal, locale: LanguageCode) => {
  const { readLastPlace } = await import('../../contract/pages/last-place.ts');
  return (await sendRequest(readLastPlace, { query: { locale }, signal })).last_place;
});

/** The page that required the sign-in, or else the account's last place, in the current language. */
export async function lastPlace(language: LanguageCode): Promise<string> {
  const asked = takeReturnPlace();
  if (asked === undefined) return wayRequest.send(language);
  return isServerPath(asked) ? asked : pathIn(language, splitPath(asked).page);
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
