import { enterStep } from '../../browser/navigation/history.ts';
import { keepEmail, keepQuery } from '../../browser/navigation/kept-query.ts';
import { overdueAfter } from '../../browser/requests/request-status.ts';
import { seconds } from '../../contract/units.ts';
import { leave, press, submit, type, wait } from '../../gallery/acts.ts';
import { answers, type Reply, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { checkResetLink, requestRecovery, resetPassword as reset } from './recover-password.contract.ts';

const filled = [type({ email: 'anna@example.com' }), submit];

const sentAgo = (time: number, email = 'anna@example.com') =>
  ({ before: () => enterStep({ email, at: Date.now() - time }, true) }) satisfies Partial<State>;
const again = { ...sentAgo(seconds(90)), acts: [press('recovery.resend')] } satisfies Partial<State>;

const linked = {
  before: () =>
    keepQuery(new URL('/reset-password/?email=anna@example.com&hash=h', location.href), { carriesLink: true }),
} satisfies Partial<State>;
const invited = {
  before: () =>
    keepQuery(new URL('/reset-password/?email=anna@example.com&hash=h&first=1', location.href), { carriesLink: true }),
} satisfies Partial<State>;
const works: readonly Reply[] = [answers(checkResetLink, undefined)];
const open = { ...linked, replies: works } satisfies Partial<State>;
const word = 'correct horse';
const chosen = [type({ password: word, password_repeat: word }), submit];
const typed = (password: string, password_repeat = password) => [type({ password, password_repeat }), submit];

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
  {
    of: 'Reset password',
    page: 'reset-password',
    states: {
      'looking at the link': { ...linked, shows: ['reset.checking'] },
      'still looking at it': { ...linked, acts: [wait(overdueAfter)], shows: ['frame.overdue'] },
      ...refusalsOf(checkResetLink, { from: linked }),
      'used before': {
        ...linked,
        replies: [refuses(checkResetLink, 'reset_link_invalid', { used: true })],
        shows: ['reset.used_title', 'reset.used', 'reset.sign_in', 'reset.request_new'],
      },
      'the link of an invitation has expired': {
        ...invited,
        replies: [refuses(checkResetLink, 'reset_link_invalid')],
        shows: ['reset.expired_title', 'reset.first_expired', 'reset.request_new'],
      },
      'the link works': { ...open, shows: ['reset.account'] },
      'the link of an invitation': {
        ...invited,
        replies: works,
        shows: ['security.password_set', 'reset.account', 'account.save'],
      },
      'long address': {
        replies: works,
        before: () =>
          keepQuery(
            new URL(`/reset-password/?email=${'anna-katharina.'.repeat(9)}berg@example.com&hash=h`, location.href),
            { carriesLink: true },
          ),
        shows: ['reset.account'],
      },
    },
  },
  {
    of: 'New password',
    page: 'reset-password',
    states: {
      'nothing typed': { ...open, acts: [submit], shows: ['invalid.password_required', 'invalid.required'] },
      'too short': { ...open, acts: typed('abc'), shows: ['invalid.password_too_short'] },
      'too long': { ...open, acts: typed('abcdefgh'.repeat(200)), shows: ['invalid.password_too_long'] },
      'not the same': { ...open, acts: typed(word, 'other horse'), shows: ['invalid.passwords_differ'] },
      common: {
        ...open,
        acts: chosen,
        replies: [
          ...works,
          refuses(reset, 'validation_failed', { fields: [{ field: 'password', code: 'password_common' }] }),
        ],
        shows: ['invalid.password_common'],
      },
      'both shown': {
        ...open,
        acts: [type({ password: word }), press('hint.password_show'), press('hint.password_show')],
        shows: ['reset.account'],
      },
      waiting: { ...open, acts: chosen, shows: ['form.wait'] },
      ...refusalsOf(reset, { from: { ...open, acts: chosen } }),
      'the first one is set': {
        ...invited,
        acts: chosen,
        replies: [...works, answers(reset, undefined)],
        shows: ['reset.first_success', 'reset.sign_in'],
      },
      success: { ...open, acts: chosen, replies: [...works, answers(reset, undefined)], shows: ['reset.success'] },
    },
  },
];
