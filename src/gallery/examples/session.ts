import { startSession } from '../../browser/requests/session.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { refresh } from '../../contract/sign-in/session.ts';
import { answers, refuses } from '../replies.ts';
import type { State } from '../state.ts';

/** The response to a sign-in. */
export const granted = { access_token: 'a', token_type: 'Bearer', expires_in: 600 } as const;

/** For states of pages for signed-in users. */
export const signedIn = { before: () => startSession(granted) } satisfies Partial<State>;

/** Replies for an expired token whose session has ended. */
export const over = [refuses(refresh, 'session_ended', { reason: 'expired' })];

/** A request that is refused although the session was just refreshed. */
export const refusedTwice = (endpoint: Endpoint): State => ({
  ...signedIn,
  replies: [refuses(endpoint, 'not_signed_in'), answers(refresh, granted)],
  shows: ['failure.not_signed_in'],
});
