import { csrfCookie, sessionHintCookie } from '../../contract/cookies.ts';
import type { Answered } from '../../contract/endpoint.ts';
import type { EndReason } from '../../contract/failures.ts';
import { logout, refresh } from '../../contract/session.ts';
import { openChannel } from '../platform/channel.ts';
import { readCookie, writeCookie } from '../platform/cookies.ts';
import { tabStorage } from '../platform/storage.ts';
import { withTabLock } from '../platform/tab-lock.ts';
import { overdueAfter } from './overdue.ts';
import { RequestFailure } from './request-failure.ts';
import { send } from './send.ts';
import { accessToken, sessionLost, sessionNotice, startSession } from './session.ts';

type Access = Answered<typeof refresh>;

let underWay: Promise<void> | undefined;

/** Whether there may soon be a session again, whatever the cookies say in the meantime. */
export const isRefreshing = (): boolean => underWay !== undefined;

/** Gets a new access token by the refresh cookie. Callers at the same time share one request. A failure clears the token. */
export function refreshSession(): Promise<void> {
  underWay ??= refreshWithTabLock()
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

/** What another tab was given, or told, since this one wished for a new token. */
let heard: Access | ReportedEndReason | undefined;

/**
 * The tabs of a browser ask one after the other. A request that others overtook twice would bring a token whose successor
 * was used long ago, as a copy does, and end the session. All who wait for their turn get what the first is given.
 */
function refreshWithTabLock(): Promise<Access> {
  heard = undefined;
  return withTabLock('refresh', overdueAfter, async () => {
    if (typeof heard === 'object') return heard;
    const access = await requestAccess();
    given?.postMessage(access);
    return access;
  });
}

/** Asks once more when another tab has signed in while a session that is over was being refused. */
async function requestAccess(): Promise<Access> {
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

function sessionHasEnded(answered: EndReason | undefined): void {
  // The tab before has lost the cookie for all of them, and was told why.
  const reason = answered === 'no_session' && typeof heard === 'string' ? heard : answered;
  forgetSession();
  if (reason && reason !== 'no_session') reportEndReason(reason);
  sessionLost.write(Date.now());
}

type ReportedEndReason = Exclude<EndReason, 'no_session'>;

/** To whoever signs in next, here and in the other tabs. */
function reportEndReason(reason: ReportedEndReason): void {
  sessionNotice.write(reason);
  tabs?.postMessage(reason);
}

/**
 * The tabs of this browser have one session: what one of them learns of its end, all of them say at once. Where they cannot
 * hear each other, each learns it by its own next request.
 */
const tabs = openChannel<ReportedEndReason>('session', (reason) => {
  heard = reason;
  if (accessToken() === undefined) return;
  // The hint is left alone: by now it may be that of a newer session.
  tabStorage.write('token', undefined);
  sessionNotice.write(reason);
  sessionLost.write(Date.now());
});

const given = openChannel<Access>('access', (access) => {
  heard = access;
});

/** Also the hint, in case the answer that would have removed it was lost. */
function forgetSession(): void {
  tabStorage.write('token', undefined);
  writeCookie(sessionHintCookie, '', 0);
}

/** Signs out here; other devices stay signed in. */
export async function endSession(): Promise<void> {
  await send(logout, {});
  forgetSession();
  reportEndReason('signed_out');
}
