import { tabStorage } from '../../browser/platform/storage.ts';
import { overdueAfter } from '../../browser/requests/request-status.ts';
import { readAccount } from '../../contract/account.ts';
import { logout } from '../../contract/sign-in/admission.ts';
import { type Act, openSideMenu, press, submit, type, wait } from '../../gallery/acts.ts';
import {
  account,
  accountOf,
  anna,
  noPhone,
  over,
  passwordOnly,
  refusedTwice,
  signedIn,
  withAuthenticator,
} from '../../gallery/examples/account.ts';
import { answers, type Reply, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { changeAccount } from './account.contract.ts';
import { readSecurity } from './second-step/second-step-settings.contract.ts';

export const read = { ...signedIn, replies: [account] } satisfies Partial<State>;
export const doing = (...acts: readonly Act[]) => ({ ...read, acts }) satisfies Partial<State>;
export const responded = (reply: Reply, ...acts: readonly Act[]) => ({
  ...doing(...acts),
  replies: [reply, ...read.replies],
});
/** A part of the page shows the refusal; its repeated read also fails without a session. */
export const ended = { not_signed_in: 'failure.session_ended' } as const;
export const failing = (
  endpoint: Parameters<typeof refusalsOf>[0],
  { replies = read.replies }: Pick<State, 'replies'>,
  ...acts: readonly Act[]
) =>
  refusalsOf(endpoint, {
    from: { ...doing(...acts), replies: [...over, ...replies] },
    details: {
      validation_failed: { fields: [] },
      too_many_attempts: { minutes: 4 },
      too_many_requests: { minutes: 4 },
    },
    words: ended,
  });

const refusedFor = (field: string, code: 'not_understood') =>
  responded(refuses(changeAccount, 'validation_failed', { fields: [{ field, code }] }), submit);
const russian = { phone: '+79123456789', inn: '7707083893' };
const inRussia = (...acts: readonly Act[]) => ({ ...doing(...acts), replies: [accountOf(russian)] });

export const states: readonly States[] = [
  {
    of: 'Account',
    page: 'account',
    states: {
      read: { ...read, shows: ['account_profile.page', 'account.since', 'account.save'] },
      'with an authenticator app': {
        ...signedIn,
        replies: [account, answers(readSecurity, withAuthenticator)],
        shows: ['check_up.title', 'check_up.factor', 'security.on', 'security.recovery_left'],
      },
      'a check-up with steps': {
        ...signedIn,
        replies: [accountOf({ phone_confirmed: false }), answers(readSecurity, passwordOnly)],
        shows: ['security.off', 'security.authenticator_add', 'account.change_phone'],
      },
      'a check-up without a phone number': {
        ...signedIn,
        replies: [accountOf(noPhone), answers(readSecurity, passwordOnly)],
        shows: ['account.add_phone'],
      },
      'long words': {
        ...signedIn,
        replies: [
          accountOf({
            name: 'Anna-Katharina'.repeat(9),
            email: `${'anna-katharina.'.repeat(9)}berg@example.com`,
          }),
        ],
        shows: ['account.since'],
      },
      'without a name': {
        ...signedIn,
        replies: [answers(readAccount, { ...anna, name: '' })],
        shows: ['account.since'],
      },
      'its mail comes back': {
        ...signedIn,
        replies: [accountOf({ email_unreachable: true })],
        shows: ['account.unreachable'],
      },
      'its deletion canceled': {
        ...read,
        before() {
          signedIn.before();
          tabStorage.write('deletion_canceled', '1');
        },
        shows: ['account.kept'],
      },
      'being read': { ...signedIn, shows: ['frame.loading'] },
      'still being read': { ...signedIn, acts: [wait(overdueAfter)], shows: ['frame.overdue'] },
      ...refusalsOf(readAccount, { from: { ...signedIn, replies: over }, words: ended }),
      'refused after a refresh': refusedTwice(readAccount),
      'could not sign out': {
        ...refusalsOf(logout, { from: doing(openSideMenu, press('account_frame.sign_out')) })['no response'],
        shows: ['failure.no_answer'],
      },
    },
  },
  {
    of: 'Details',
    page: 'account',
    states: {
      'no name': { ...doing(type({ name: '' }), submit), shows: ['invalid.required', 'form.problem_at'] },
      'too long': { ...doing(type({ name: 'x'.repeat(180) }), submit), shows: ['invalid.too_long'] },
      'with an INN': { ...inRussia(), shows: ['label.inn', 'hint.inn'] },
      'no number': { ...inRussia(type({ inn: 'abc' }), submit), shows: ['invalid.digits_only'] },
      'no INN': { ...inRussia(type({ inn: '1234567890' }), submit), shows: ['invalid.inn_invalid'] },
      'not understood': { ...refusedFor('name', 'not_understood'), shows: ['invalid.not_understood'] },
      waiting: { ...doing(submit), shows: ['form.wait'] },
      ...failing(changeAccount, {}, submit),
      saved: { ...responded(answers(changeAccount, anna), submit), shows: ['account.saved'] },
    },
  },
];
