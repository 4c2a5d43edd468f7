import { enterStep } from '../../browser/navigation/history.ts';
import { keepEmail } from '../../browser/navigation/kept-query.ts';
import { seconds } from '../../contract/units.ts';
import { leave, press, submit, type } from '../../gallery/acts.ts';
import { answers } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { requestRecovery } from './recover-password.contract.ts';

const filled = [type({ email: 'anna@example.com' }), submit];

const sentAgo = (time: number, email = 'anna@example.com') =>
  ({ before: () => enterStep({ email, at: Date.now() - time }, true) }) satisfies Partial<State>;
const again = { ...sentAgo(seconds(90)), acts: [press('recovery.resend')] } satisfies Partial<State>;

export const states: readonly States[] = [
  {
    of: 'Recovery',
    page: 'recovery',
    states: {
      empty: { shows: ['recovery.title'] },
      'address known': { before: () => keepEmail('anna@example.com'), shows: ['recovery.title'] },
      'nothing typed': { acts: [submit], shows: ['form.problem', 'invalid.email_required'] },
      'wrongly typed': { acts: [type({ email: 'anna' }), submit], shows: ['invalid.email_invalid'] },
      'typed too long': {
        acts: [type({ email: `${'anna'.repeat(50)}@example.com` }), submit],
        shows: ['invalid.too_long'],
      },
      'typing mistake': {
        acts: [type({ email: 'anna@hotmial.com' }), leave('email')],
        shows: ['hint.email_suggestion'],
      },
      waiting: { acts: filled, shows: ['form.wait'] },
      ...refusalsOf(requestRecovery, { from: { acts: filled } }),
    },
  },
  {
    of: 'Check your email',
    page: 'recovery',
    states: {
      'just sent': {
        acts: filled,
        replies: [answers(requestRecovery, {})],
        shows: ['recovery.sent_title', 'recovery.resend_in'],
      },
      'long address': {
        ...sentAgo(0, `${'anna-katharina.'.repeat(9)}berg@mail.example.com`),
        shows: ['recovery.sent_title'],
      },
      'may be sent again': { ...sentAgo(seconds(90)), shows: ['recovery.resend'] },
      'sending again': { ...again, shows: ['form.wait'] },
      'sent again': { ...again, replies: [answers(requestRecovery, {})], shows: ['recovery.resent'] },
      ...refusalsOf(requestRecovery, { from: again }),
    },
  },
];
