import { patience } from '../../browser/requests/patience.ts';
import { startSession } from '../../browser/requests/session.ts';
import { readAccount } from '../../contract/account.ts';
import { refresh } from '../../contract/session.ts';
import { wait } from '../../gallery/acts.ts';
import { answers, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.ts';

/** The token is too old, and the session behind it is over. */
const over = [refuses(refresh, 'session_ended', { reason: 'expired' })];
const signedIn = {
  before: () => startSession({ access_token: 'a', token_type: 'Bearer', expires_in: 600 }),
} satisfies Partial<State>;
const called = (name: string): State => ({
  ...signedIn,
  replies: [
    answers(readAccount, {
      id: 'a',
      name,
      email: 'anna@example.com',
      phone: '+12025550147',
      phone_confirmed: true,
      organization: null,
      inn: null,
      locale: 'en',
      created_at: '2026-01-01T00:00:00Z',
      consents: [],
    }),
  ],
  shows: ['computers_add.ready'],
});

export const states: readonly States[] = [
  {
    of: 'Add computers',
    page: 'computers-add',
    states: {
      'soon to come': called('Anna Berg'),
      'long name': called('Anna-Katharina Wilhelmine '.repeat(6)),
      'Arabic name': called('ليلى بنت عبد الله'),
      'being read': { ...signedIn, shows: ['frame.loading'] },
      'still being read': { ...signedIn, acts: [wait(patience)], shows: ['frame.overdue'] },
      ...refusalsOf(readAccount, {
        from: { ...signedIn, replies: over },
        words: { not_signed_in: 'failure.session_ended' },
      }),
      'not signed in': { shows: ['failure.not_signed_in'] },
    },
  },
];
