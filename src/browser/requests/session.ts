import type { ResponseBody } from '../../contract/endpoint.ts';
import type { EndReason } from '../../contract/failures.ts';
import { sessionHintCookie } from '../../contract/pages.ts';
import type { refresh } from '../../contract/sign-in/admission.ts';
import { browserStorage, cell, readCookie, tabStorage, useCell, writeCookie } from '../platform/storage.ts';

type Access = ResponseBody<typeof refresh>;

export const accessToken = (): string | undefined => tabStorage.read('token');

/** Stores the access token of a sign-in, a registration or a refresh. */
export function startSession({ access_token, deletion_canceled }: Access): void {
  tabStorage.write('token', access_token);
  browserStorage.write('sign_out_due', undefined);
  isEndingHere = false;
  // The next page reports it.
  if (deletion_canceled) tabStorage.write('deletion_canceled', '1');
}

/** Whether there may be a session. If not, the browser sends no refresh. */
export const mayHaveSession = (): boolean => accessToken() !== undefined || readCookie(sessionHintCookie) !== undefined;

/** When the server last reported the end of the session, which leaves pages that need one. Milliseconds since 1970. */
export const sessionLost = cell(0);

let isEndingHere = false;
let isLostMeanwhile = false;

/** Leaves pages that need a session, unless this page ends the session itself. */
export function loseSession(): void {
  if (isEndingHere) isLostMeanwhile = true;
  else sessionLost.write(Date.now());
}

/**
 * Call with true before a request that ends the session and whose outcome this page reports: until a call with false, or
 * the next session, nothing else navigates away from the page.
 */
export function endSessionHere(isEnding: boolean): void {
  isEndingHere = isEnding;
  const isLost = isLostMeanwhile;
  isLostMeanwhile = false;
  if (!isEnding && isLost) sessionLost.write(Date.now());
}

/** The notice above the sign-in form, until the user leaves it: why the session ended, or that a page needs one. */
type SessionNotice = Exclude<EndReason, 'no_session'> | 'needed' | undefined;
export const sessionNotice = cell<SessionNotice>(undefined);
export const useSessionNotice = (): SessionNotice => useCell(sessionNotice, () => undefined);

/** Lets the user sign in again although there is a session, which the server then replaces. */
export function beginNewSignIn(): void {
  tabStorage.write('token', undefined);
  writeCookie(sessionHintCookie, '', 0);
}
