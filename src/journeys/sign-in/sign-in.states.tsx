import { keepEmail } from '../../browser/navigation/kept-query.ts';
import { writeCookie } from '../../browser/platform/storage.ts';
import { solving } from '../../browser/proof-of-work/solve-for.ts';
import { overdueAfter } from '../../browser/requests/request-status.ts';
import { sessionNotice } from '../../browser/requests/session.ts';
import { endReasons } from '../../contract/failures.ts';
import { csrfCookie } from '../../contract/pages.ts';
import { csrf } from '../../contract/sign-in/admission.ts';
import { leave, press, submit, toggle, type, typeInCapitals, wait } from '../../gallery/acts.ts';
import { granted, pickOptions } from '../../gallery/examples/account.ts';
import { cancelsPasskey, usesPasskey, waitsForPasskey } from '../../gallery/passkey-dialogs.ts';
import { answers, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { loginByPasskey, passkeyChallenge } from '../passkeys/passkeys.contract.ts';
import { login } from './sign-in.contract.ts';

const filled = [type({ email: 'anna@example.com', password: 'correct horse' }), submit];

const passkeyPicked = {
  before: usesPasskey,
  replies: [answers(passkeyChallenge, pickOptions)],
  acts: [press('sign_in.passkey')],
};
const withPrefix = (prefix: string, all: Readonly<Record<string, State>>) =>
  Object.fromEntries(Object.entries(all).map(([name, state]) => [`${prefix}, ${name}`, state]));

const ended = endReasons
  .filter((reason) => reason !== 'no_session')
  .map((reason): [string, State] => [
    `session over: ${reason.replaceAll('_', ' ')}`,
    { before: () => sessionNotice.write(reason), shows: [`session_ended.${reason}`] },
  ]);

export const states: readonly States[] = [
  {
    of: 'Sign-in',
    page: 'sign-in',
    states: {
      empty: { shows: ['sign_in.title'] },
      'address known': { before: () => keepEmail('anna@example.com'), shows: ['sign_in.title'] },
      'a page asked for it': { before: () => sessionNotice.write('needed'), shows: ['sign_in.continue'] },
      ...Object.fromEntries(ended),
      'nothing typed': { acts: [submit], shows: ['form.problem', 'invalid.email_required'] },
      'wrongly typed': {
        acts: [type({ email: 'anna@', password: 'x' }), submit],
        shows: ['invalid.email_invalid'],
      },
      'typed too long': {
        acts: [type({ email: `${'anna'.repeat(50)}@example.com`, password: 'x' }), submit],
        shows: ['invalid.too_long'],
      },
      'typing mistake': {
        acts: [type({ email: 'anna@gmial.com' }), leave('email')],
        shows: ['hint.email_suggestion'],
      },
      'password shown': {
        acts: [type({ password: 'correct horse' }), press('hint.password_show')],
        shows: ['sign_in.title'],
      },
      'Caps Lock': { acts: [typeInCapitals('password')], shows: ['hint.caps_lock'] },
      waiting: { acts: filled, shows: ['form.wait'] },
      'solving a task in a flood': { before: () => solving.write(true), acts: filled, shows: ['form.solving'] },
      success: {
        acts: filled,
        replies: [answers(login, granted)],
        shows: ['sign_in.success'],
      },
      ...refusalsOf(login, { from: { acts: filled }, details: { too_many_attempts: { minutes: 15 } } }),
      'lock opened': {
        acts: filled,
        replies: [refuses(login, 'too_many_attempts', { minutes: 1, retryAfter: 1 })],
        shows: ['sign_in.unlocked'],
      },
      'no cookies': {
        acts: filled,
        before: () => writeCookie(csrfCookie, '', 0),
        replies: [refuses(login, 'csrf_failed'), answers(csrf, undefined)],
        shows: ['failure.cookies_blocked'],
      },
      'picking a passkey': {
        before: waitsForPasskey,
        replies: [answers(passkeyChallenge, pickOptions)],
        acts: [press('sign_in.passkey')],
        shows: ['form.wait'],
      },
      'no passkey picked': {
        before: cancelsPasskey,
        replies: [answers(passkeyChallenge, pickOptions)],
        acts: [press('sign_in.passkey')],
        shows: ['sign_in.passkey'],
      },
      'without passkeys': { settings: { passkeys: false }, shows: ['sign_in.title'] },
      ...withPrefix('passkey', refusalsOf(loginByPasskey, { from: passkeyPicked })),
      'language menu': { acts: [toggle('languages')], shows: ['frame.language'] },
      'theme menu': { acts: [toggle('themes')], shows: ['frame.theme_system'] },
      'still waiting': { acts: [...filled, wait(overdueAfter)], shows: ['frame.overdue'] },
      'next page on its way': { slow: true, shows: ['frame.loading'] },
      'next page overdue': { unanswered: 'frame.overdue', shows: ['frame.overdue'] },
      'no next page': { unanswered: 'frame.unreached', shows: ['frame.unreached'] },
      'with a development inbox': { settings: { developmentInbox: true }, shows: ['frame.development'] },
      'without support': { settings: { supportEmail: undefined }, shows: ['sign_in.title'] },
    },
  },
];
