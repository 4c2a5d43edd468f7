import { type LanguageCode, pathIn, splitPath } from '../../contract/languages.ts';
import { isServerPath } from '../../contract/pages/server-path.ts';
import { openChannel } from '../platform/channel.ts';
import { tabStorage } from '../platform/storage.ts';
import { accountOf, isForApplication } from '../requests/other-account.ts';
import { recordRequests } from '../requests/record-requests.ts';
import { RequestFailure } from '../requests/request-failure.ts';
import { sendRequest } from '../requests/send-request.ts';
import { accessToken } from '../requests/session.ts';
import { leaveTo } from './leave.ts';
import { forgetReturnPlace } from './return-place.ts';

/** The request for the account's last place, in a language. */
const wayRequest = recordRequests(async (signal, locale: LanguageCode) => {
  const { readLastPlace } = await import('../../contract/pages/last-place.ts');
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

/**
 * Navigates the whole window to the last place after a sign-in. The session exists, so an error of the server leads to
 * `otherwise`; without a response the caller can try again.
 */
export async function goToLastPlace(language: LanguageCode, otherwise = '/dashboard/'): Promise<void> {
  const place = await lastPlace(language).catch((failure: unknown) => {
    if (failure instanceof RequestFailure && failure.status !== undefined) return pathIn(language, otherwise);
    throw failure;
  });
  // Tabs that still show the account of the former session read it again, as after `notifyAccountChanged`.
  openChannel<'changed'>('account', () => undefined)?.postMessage('changed');
  leaveTo(place);
}
