import { patience } from '../../browser/requests/patience.ts';
import { startSession } from '../../browser/requests/session.ts';
import { readAccount } from '../../contract/account.ts';
import type { Answered } from '../../contract/endpoint.ts';
import { logout, refresh } from '../../contract/session.ts';
import { press, wait } from '../../gallery/acts.ts';
import { answers, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.ts';

const anna: Answered<typeof readAccount> = {
  id: 'a',
  name: 'Anna Berg',
  email: 'anna@example.com',
  phone: '+12025550147',
  phone_confirmed: true,
  organization: null,
  inn: null,
  locale: 'en',
  created_at: '2026-01-01T00:00:00Z',
  consents: [],
};
/** The token is too old, and the session behind it is over. */
const over = [refuses(refresh, 'session_ended', { reason: 'expired' })];
const signedIn = {
  before: () => startSession({ access_token: 'a', token_type: 'Bearer', expires_in: 600 }),
} satisfies Partial<State>;
const read = { ...signedIn, replies: [answers(readAccount, anna)] } satisfies Partial<State>;
const called = (name: string): State => ({
  ...signedIn,
  replies: [answers(readAccount, { ...anna, name })],
  shows: ['dashboard.hello'],
});

export const states: readonly States[] = [
  {
    of: 'Dashboard',
    page: 'dashboard',
    states: {
      empty: { ...read, shows: ['dashboard.hello', 'dashboard.empty_title'] },
      'long name': called('Anna-Katharina Wilhelmine '.repeat(6)),
      'name without a break': called('Anna'.repeat(40)),
      'Arabic name': called('ليلى بنت عبد الله'),
      'being read': { ...signedIn, shows: ['frame.loading'] },
      'still being read': { ...signedIn, acts: [wait(patience)], shows: ['frame.overdue'] },
      ...refusalsOf(readAccount, {
        from: { ...signedIn, replies: over },
        words: { not_signed_in: 'failure.session_ended' },
      }),
      'not signed in': { shows: ['failure.not_signed_in'] },
      'could not sign out': {
        ...refusalsOf(logout, { from: { ...read, acts: [press('account_frame.sign_out')] } })['no answer'],
        shows: ['failure.no_answer'],
      },
    },
  },
];
