import { sessionHintCookie } from '../../contract/cookies.ts';
import type { Answered } from '../../contract/endpoint.ts';
import type { EndReason } from '../../contract/failures.ts';
import type { refresh } from '../../contract/session.ts';
import { cell, useCell } from '../platform/cell.ts';
import { readCookie } from '../platform/cookies.ts';
import { tabStorage } from '../platform/storage.ts';

type Access = Answered<typeof refresh>;

export const accessToken = (): string | undefined => tabStorage.read('token');

/** Keeps the access token of a sign-in, a registration or a refresh. */
export const startSession = (access: Access): void => tabStorage.write('token', access.access_token);

/** A browser whose cookies say that it has no session asks for none. */
export const mayHaveSession = (): boolean => accessToken() !== undefined || readCookie(sessionHintCookie) !== undefined;

/** When the server last said that the session is over: a page that needs one cannot stay. */
export const sessionLost = cell(0);

/** What sign-in says above its form, until that screen is left: why the session ended, or that a page needs one. */
type SessionNotice = Exclude<EndReason, 'no_session'> | 'needed' | undefined;
export const sessionNotice = cell<SessionNotice>(undefined);
export const useSessionNotice = (): SessionNotice => useCell(sessionNotice, () => undefined);
