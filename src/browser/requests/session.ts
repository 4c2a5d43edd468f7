import { useEffect, useEffectEvent } from 'react';
import type { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { EndReason } from '../../contract/failures.ts';
import { sessionHintCookie } from '../../contract/pages.ts';
import type { refresh } from '../../contract/sign-in/admission.ts';
import {
  browserStorage,
  cell,
  openChannel,
  readCookie,
  tabStorage,
  useCell,
  writeCookie,
} from '../platform/storage.ts';

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

/** The account as this tab read it last, for the frame around its pages; undefined before that and after signing out. */
export const knownAccount = cell<ResponseBody<typeof readAccount> | undefined>(undefined);

/** The id of the account that an access token is for; undefined without a token, or if it has another form. */
export function accountOf(token: string | undefined): string | undefined {
  try {
    const [, claims = ''] = (token ?? '').split('.');
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).sub;
  } catch {
    return undefined;
  }
}

/** Whether a page continues the request of an application, whoever signs in, rather than show an account. */
export const isForApplication = (path: string): boolean => /^\/(?:device|connect)\//.test(path);

type Listener = () => void;
const listeners = new Set<Listener>();
const hear = (): void => {
  for (const listener of listeners) listener();
};

let tabs: BroadcastChannel | undefined;
/** Opens the channel on first use, since pages are also rendered on the server. */
function openTabs(): void {
  tabs ??= openChannel<'changed'>('account', hear);
}

/** Notifies this page and the other tabs of this browser that the account has changed. */
export function notifyAccountChanged(): void {
  notifyOtherTabs();
  hear();
}

/** Notifies only this page, as when something beside the account has changed. */
export const notifyThisPage = hear;

/** Notifies only the other tabs: this page shows the response to its change. */
export function notifyOtherTabs(): void {
  openTabs();
  tabs?.postMessage('changed');
}

/**
 * Calls `onChange` when a tab of this browser has changed the account. Calls `onReturn` when the user returns to this
 * tab, since the account may have changed in another browser.
 */
export function useAccountChanges(onChange: Listener, onReturn: Listener): void {
  const change = useEffectEvent(onChange);
  const comeBack = useEffectEvent(onReturn);
  useEffect(() => {
    const listener = () => change();
    const look = () => document.visibilityState === 'visible' && comeBack();
    openTabs();
    listeners.add(listener);
    document.addEventListener('visibilitychange', look);
    return () => {
      listeners.delete(listener);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
}
