import { press } from '../../../gallery/acts.ts';
import { account, over, sessions, signedIn } from '../../../gallery/examples/account.ts';
import { answers } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import { ended, failing } from '../account.states.tsx';
import { endOtherSessions, endSession, listSessions } from './sessions.contract.ts';

const lists = [account, answers(listSessions, { sessions })];
const read = { ...signedIn, replies: lists } satisfies Partial<State>;
const named = (prefix: string, states: Readonly<Record<string, State>>) =>
  Object.fromEntries(Object.entries(states).map(([name, state]) => [`${prefix}, ${name}`, state]));

export const states: readonly States[] = [
  {
    of: 'Sessions',
    page: 'account-sessions',
    states: {
      read: {
        ...read,
        shows: [
          'account_sessions.page',
          'account.sessions',
          'account.sessions_text',
          'account.session_this',
          'account.device_unknown',
          'account.first_used',
          'account.session_used',
          'account.end_others',
        ],
      },
      'only this one': {
        ...signedIn,
        replies: [account, answers(listSessions, { sessions: sessions.slice(0, 1) })],
        shows: ['account.session_this'],
      },
      ...refusalsOf(listSessions, { from: { ...signedIn, replies: [...over, ...lists] }, words: ended }),
      'signed out there': {
        ...read,
        replies: [answers(endSession, undefined), ...lists],
        acts: [press('account.end_session', 'account.sessions')],
        shows: ['account.signed_out_there'],
      },
      ...named('signing out', failing(endOtherSessions, { replies: lists }, press('account.end_others'))),
    },
  },
];
