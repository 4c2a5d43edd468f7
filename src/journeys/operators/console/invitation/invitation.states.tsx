import { press } from '../../../../gallery/acts.ts';
import { account, over, signedIn } from '../../../../gallery/examples/account.ts';
import { answers, refuses } from '../../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../../gallery/state.tsx';
import { acceptInvitation } from '../../operators.contract.ts';

const read = { ...signedIn, replies: [account], search: '?invitation=a' } satisfies Partial<State>;
const accept = [press('console_invitation.accept')];

export const states: readonly States[] = [
  {
    of: 'Console invitation',
    page: 'console-invitation',
    states: {
      'signed out': { shows: ['console_invitation.page', 'console_invitation.lead', 'sign_in.page'] },
      'signed in': {
        ...read,
        shows: ['console_invitation.accept', 'connect.not_you'],
      },
      'without a second step': {
        ...read,
        replies: [account, refuses(acceptInvitation, 'step_up_required', { ways: [] })],
        acts: accept,
        shows: ['console_invitation.second_step'],
      },
      ...refusalsOf(acceptInvitation, {
        from: { ...read, acts: accept, replies: [...over, ...read.replies] },
        words: { invitation_invalid: 'console_invitation.invalid', not_signed_in: 'failure.session_ended' },
        details: { step_up_required: { ways: ['authenticator'] } },
      }),
      accepted: {
        ...read,
        replies: [account, answers(acceptInvitation, { role: 'support' })],
        acts: accept,
        shows: ['console_invitation.done', 'console_invitation.open'],
      },
    },
  },
];
