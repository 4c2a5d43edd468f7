import { csrfCookie, sessionHintCookie } from '../../contract/cookies.ts';
import type { Answered } from '../../contract/endpoint.ts';
import type { EndReason } from '../../contract/failures.ts';
import type { refresh } from '../../contract/session.ts';
import { cell, useCell } from '../platform/cell.ts';
import { readCookie, writeCookie } from '../platform/cookies.ts';
import { tabStorage } from '../platform/storage.ts';
import { RequestFailure } from './request-failure.ts';
import { send } from './send.ts';

type Access = Answered<typeof refresh>;

/** Loaded only by who has a session: the schemas behind it are no part of a first visit. */
const contract = () => import('../../contract/session.ts');

export const accessToken = (): string | undefined => tabStorage.read('token');

/** Keeps the access token of a sign-in, a registration or a refresh. */
export const startSession = (access: Access): void => tabStorage.write('token', access.access_token);

/** A browser whose cookies say that it has no session asks for none. */
export const mayHaveSession = (): boolean => accessToken() !== undefined || readCookie(sessionHintCookie) !== undefined;

let underWay: Promise<void> | undefined;

/**
 * Gets a new access token by the refresh cookie. Callers at the same time share one request; other tabs need no
 * lock, because the server gives all who refresh at once the same successor. A failure clears the token.
 */
export function refreshSession(): Promise<void> {
  underWay ??= askForAccess()
    .then(startSession)
    .catch((failure: unknown) => {
      tabStorage.write('token', undefined);
      if (failure instanceof RequestFailure && failure.code === 'session_ended') sessionHasEnded(failure.reason);
      throw failure;
    })
    .finally(() => {
      underWay = undefined;
    });
  return underWay;
}

/** Asks once more when another tab has signed in while a session that is over was being refused. */
async function askForAccess(): Promise<Access> {
  const { refresh } = await contract();
  const csrf = readCookie(csrfCookie);
  const access = await send(refresh, {}).catch((failure: unknown) => {
    const ended = failure instanceof RequestFailure && failure.code === 'session_ended';
    // The refusal brings another token, too, but no session.
    const begunAnew = readCookie(csrfCookie) !== csrf && readCookie(sessionHintCookie) !== undefined;
    if (ended && begunAnew) return send(refresh, {});
    throw failure;
  });
  return access as Access;
}

function sessionHasEnded(reason: EndReason | undefined): void {
  forgetSession();
  if (reason && reason !== 'no_session') sessionNotice.write(reason);
  sessionLost.write(Date.now());
}

/** Also the hint, in case the answer that would have removed it was lost. */
function forgetSession(): void {
  tabStorage.write('token', undefined);
  writeCookie(sessionHintCookie, '', 0);
}

/** Signs out here; other devices stay signed in. */
export async function endSession(): Promise<void> {
  const { logout } = await contract();
  await send(logout, {});
  forgetSession();
  sessionNotice.write('signed_out');
}

/** When the server last said that the session is over: a page that needs one cannot stay. */
export const sessionLost = cell(0);

/** What sign-in says above its form, until that screen is left: why the session ended, or that a page needs one. */
type SessionNotice = Exclude<EndReason, 'no_session'> | 'needed' | undefined;
export const sessionNotice = cell<SessionNotice>(undefined);
export const useSessionNotice = (): SessionNotice => useCell(sessionNotice, () => undefined);
