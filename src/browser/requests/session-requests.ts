import { useEffect, useState } from 'react';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { EndReason } from '../../contract/failures.ts';
import { splitPath } from '../../contract/languages.ts';
import { csrfCookie, phoneWorkerScope, sessionHintCookie, sharedHint } from '../../contract/pages.ts';
import { logout, refresh, sharedIdleLifetime } from '../../contract/sign-in/admission.ts';
import { minutes } from '../../contract/units.ts';
import { forgetOwnDrafts } from '../forms/draft.ts';
import { browserStorage, openChannel, readCookie, tabStorage, withTabLock, writeCookie } from '../platform/storage.ts';
import { after } from '../platform/timers.ts';
import { overdueAfter, RequestFailure } from './request-status.ts';
import { forgetVersions, send } from './send.ts';
import {
  accessToken,
  accountOf,
  isForApplication,
  knownAccount,
  loseSession,
  mayHaveSession,
  sessionLost,
  sessionNotice,
  startSession,
} from './session.ts';

type Access = ResponseBody<typeof refresh>;

let underWay: Promise<void> | undefined;
let signOuts = 0;

/** Whether a refresh is pending, which may restore the session whatever the cookies say now. */
export const isRefreshing = (): boolean => underWay !== undefined;

/** Gets a new access token with the refresh cookie. Parallel callers share one request. A failure clears the token. */
export function refreshSession(): Promise<void> {
  underWay ??= refreshUnlessSignedOut()
    .then(startSession)
    .catch((failure: unknown) => {
      tabStorage.write('token', undefined);
      if (failure instanceof RequestFailure && failure.code === 'session_ended') sessionHasEnded(failure.reason);
      throw failure;
    })
    .then(leaveFormerAccount)
    .finally(() => {
      underWay = undefined;
    });
  return underWay;
}

/**
 * After somebody else has signed in in another tab, this page still shows the data of the former account, and would send
 * what its owner typed to the other one: it gives way, and its requests are canceled.
 */
function leaveFormerAccount(): void {
  const [shown, account] = [knownAccount.read()?.id, accountOf(accessToken())];
  if (shown === undefined || account === undefined || shown === account) return;
  location.replace(isForApplication(splitPath(location.pathname).page) ? location.href : '/');
  throw new DOMException('somebody else has signed in', 'AbortError');
}

/** Ignores a token that arrives after a sign-out which did not wait for it any longer. */
async function refreshUnlessSignedOut(): Promise<Access> {
  const before = signOuts;
  const access = await refreshWithTabLock();
  if (signOuts === before) return access;
  forgetSession();
  throw new RequestFailure(401, { code: 'not_signed_in' });
}

/** The token or end reason that another tab has received since this one requested a refresh. */
let heard: Access | ReportedEndReason | undefined;

/**
 * Refreshes in one tab at a time. If others overtook a request twice, its token would look like a copy, since the
 * token's successor is already used, and the session would end. Waiting tabs get the first tab's token.
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

/** Repeats the refresh if another tab has signed in while the server refused an ended session. */
async function requestAccess(): Promise<Access> {
  if (browserStorage.read('sign_out_due')) {
    await send(logout, {});
    browserStorage.write('sign_out_due', undefined);
    throw new RequestFailure(401, { code: 'session_ended', reason: 'expired' });
  }
  const csrf = readCookie(csrfCookie);
  const access = await send(refresh, {}).catch((failure: unknown) => {
    const ended = failure instanceof RequestFailure && failure.code === 'session_ended';
    // A refusal also sets a new CSRF token, but no session hint.
    const begunAnew = readCookie(csrfCookie) !== csrf && readCookie(sessionHintCookie) !== undefined;
    if (ended && begunAnew) return send(refresh, {});
    throw failure;
  });
  return access as Access;
}

function sessionHasEnded(reported: EndReason | undefined): void {
  // The refusal of the first tab cleared the cookie for all tabs; only that tab received the reason.
  const reason = reported === 'no_session' && typeof heard === 'string' ? heard : reported;
  forgetSession();
  if (reason && reason !== 'no_session') reportEndReason(reason);
  loseSession();
}

type ReportedEndReason = Exclude<EndReason, 'no_session'>;

/** Shows the reason on the sign-in page, here and in the other tabs. */
function reportEndReason(reason: ReportedEndReason): void {
  sessionNotice.write(reason);
  tabs?.postMessage(reason);
}

/**
 * The tabs of this browser share one session, so when one learns that it ended, all show it immediately. Without a
 * channel each tab learns it from its next request.
 */
const tabs = openChannel<ReportedEndReason>('session', (reason) => {
  heard = reason;
  if (accessToken() === undefined) return;
  // Keep the hint: it may already belong to a newer session.
  forgetAccount();
  if (reason === 'signed_out') forgetOwnDrafts();
  sessionNotice.write(reason);
  loseSession();
});

const given = openChannel<Access>('access', (access) => {
  heard = access;
});

function forgetAccount(): void {
  knownAccount.write(undefined);
  tabStorage.write('token', undefined);
  forgetVersions();
}

/** Also removes the hint, in case the response that would have removed it was lost. */
function forgetSession(): void {
  forgetAccount();
  writeCookie(sessionHintCookie, '', 0);
}

/** Signs out this browser; other devices stay signed in. */
export async function endSession(): Promise<void> {
  // A refresh that is pending, here or in another tab, would restore the token and the cookies.
  await withTabLock('refresh', overdueAfter, () => send(logout, {}));
  signedOut();
  reportEndReason('signed_out');
}

/** Signs out an idle browser, and shows why. */
export async function endIdleSession(): Promise<void> {
  try {
    await endSession();
  } catch {
    // The next person at this computer must not continue the session, so its next refresh signs out instead.
    browserStorage.write('sign_out_due', '1');
    signedOut();
  }
  reportEndReason('expired');
  loseSession();
}

async function endPush(): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration(phoneWorkerScope);
  await (await worker?.pushManager?.getSubscription())?.unsubscribe();
}

function signedOut(): void {
  signOuts += 1;
  // The next person in this browser must not read the notices of this one.
  void endPush().catch(() => undefined);
  forgetSession();
  forgetOwnDrafts();
}

/**
 * Whether the session ended, in another tab or before the browser restored this page from its history. The page then
 * hides its content until the sign-in page arrives.
 */
export function useSessionEnd(): boolean {
  const [over, setOver] = useState(false);
  useEffect(endWhenIdle, []);
  useEffect(() => {
    const look = () => setOver(!mayHaveSession());
    const comeBack = ({ persisted }: PageTransitionEvent) => persisted && look();
    const unfollow = sessionLost.follow(look);
    addEventListener('pageshow', comeBack);
    return () => {
      unfollow();
      removeEventListener('pageshow', comeBack);
    };
  }, []);
  return over;
}

const touches = ['pointerdown', 'keydown', 'wheel'] as const;
/** How often a tab in use stores the time of its last input, so that other tabs do not end the session. */
const notedEvery = minutes(1);

/** An idle page polls, which keeps its session alive. On a shared computer the page therefore ends the session. */
function endWhenIdle(): (() => void) | undefined {
  if (readCookie(sessionHintCookie) !== sharedHint) return undefined;
  let stop = after(sharedIdleLifetime, look);
  let noted = 0;
  const touched = () => {
    stop();
    stop = after(sharedIdleLifetime, look);
    if (Date.now() - noted < notedEvery) return;
    noted = Date.now();
    browserStorage.write('touched_at', String(noted));
  };
  /** Ends the session, unless another tab is in use. */
  function look(): void {
    const left = Number(browserStorage.read('touched_at') ?? 0) + sharedIdleLifetime - Date.now();
    if (left > 0 && left <= sharedIdleLifetime) stop = after(left, look);
    else end();
  }
  for (const touch of touches) addEventListener(touch, touched, { passive: true });
  return () => {
    stop();
    for (const touch of touches) removeEventListener(touch, touched);
  };
}

function end(): void {
  endIdleSession().catch(console.error);
}
