import { keptQuery } from '../../../browser/navigation/kept-query.ts';
import { overdueAfter } from '../../../browser/requests/request-status.ts';
import { confirmEmail } from '../../../contract/account.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { FieldFailure } from '../../../contract/failures.ts';
import { stepUp, stepUpChallenge } from '../../../contract/sign-in/step-up.ts';
import { type Act, press, submit, type, wait } from '../../../gallery/acts.ts';
import {
  account,
  accountOf,
  activityLines,
  anna,
  noPhone,
  over,
  passwordOnly,
  pickOptions,
  signedIn,
} from '../../../gallery/examples/account.ts';
import { cancelsPasskey, lacksPasskeys, usesPasskey, waitsForPasskey } from '../../../gallery/passkey-dialogs.ts';
import { answers, type Reply, refuses } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import { changePassword, changePhone } from '../account.contract.ts';
import { ended, failing as failingWith } from '../account.states.tsx';
import { cancelEmailChange, requestEmailChange, resendConfirmation } from '../contacts/change-email.contract.ts';
import { exportAccount } from '../leaving/export-account.contract.ts';
import { readSecurity } from '../second-step/second-step-settings.contract.ts';
import { methods } from '../second-step/second-step-settings.states.tsx';
import { activityWords } from '../sessions/activity.part.tsx';
import { readActivity } from '../sessions/sessions.contract.ts';

const newest = answers(readActivity, { records: activityLines.slice(0, 5), next: 'signed_in' });
const lists = [account, newest, ...methods];
const read = { ...signedIn, replies: lists } satisfies Partial<State>;
const doing = (...acts: readonly Act[]) => ({ ...read, acts }) satisfies Partial<State>;
const responded = (reply: Reply, ...acts: readonly Act[]) => ({ ...doing(...acts), replies: [reply, ...lists] });
const refusing = (endpoint: Endpoint, failure: FieldFailure, ...acts: readonly Act[]) =>
  responded(refuses(endpoint, 'validation_failed', { fields: [failure] }), ...acts);
const failing = (endpoint: Endpoint, ...acts: readonly Act[]) => failingWith(endpoint, { replies: lists }, ...acts);
const byLink = {
  before() {
    signedIn.before();
    keptQuery.write({ email: '', dbType: undefined, link: { hash: 'x', email: '', call: '' } });
  },
};
const unproven = [accountOf({ email_confirmed: false, phone_confirmed: false }), newest, ...methods];
const word = 'correct horse';
const typed = (password: string, password_repeat = password, current_password = 'old horse') => [
  press('account.change_password'),
  type({ current_password, password, password_repeat }),
  press('account.change_password'),
];
const newAddress = (email: string) => [
  press('account.change_email'),
  type({ email, email_password: word }),
  press('account.change_email'),
];
const newNumber = (...acts: readonly Act[]) => doing(press('account.change_phone'), ...acts);
const optionalNumber = [press('account.change_phone'), type({ phone: '+12025550147' }), press('account.save')];
/** The same with optional phone confirmation. */
const withoutCall = (all: Readonly<Record<string, State>>) =>
  Object.fromEntries(
    Object.entries(all).map(([name, state]) => [
      name,
      { ...state, settings: { phoneConfirmation: 'optional' as const } },
    ]),
  );

type Ways = readonly ('password' | 'authenticator' | 'passkey')[];

const opened = (ways: Ways, { acts = [], replies = [] }: { acts?: Act[]; replies?: Reply[] } = {}) =>
  ({
    ...signedIn,
    replies: [...replies, ...over, refuses(exportAccount, 'step_up_required', { ways }), account],
    acts: [press('account.download'), ...acts],
  }) satisfies Partial<State>;
const before = (prepare: () => void) => () => {
  signedIn.before();
  prepare();
};
const byPassword = opened(['password'], {
  acts: [type({ step_up_password: 'correct horse' }), press('step_up.submit')],
});
const byCode = opened(['authenticator', 'passkey'], { acts: [type({ step_up_code: '123456' })] });
const byPasskey = {
  ...opened(['passkey'], { acts: [press('second_step.passkey')], replies: [answers(stepUpChallenge, pickOptions)] }),
  before: before(usesPasskey),
};
const details = { code_incorrect: { attempts_left: 3 }, too_many_attempts: { minutes: 4 } };
// The request of the dialog itself opens no other dialog.
const words = { step_up_required: 'failure.step_up_required', not_signed_in: 'failure.session_ended' } as const;
const withPrefix = (prefix: string, refusals: Readonly<Record<string, State>>) =>
  Object.fromEntries(Object.entries(refusals).map(([name, state]) => [`${prefix}, ${name}`, state]));

export const states: readonly States[] = [
  {
    of: 'Security',
    page: 'account-security',
    states: {
      read: {
        ...read,
        shows: ['account_security.page', 'account.confirmed', 'account.password_set', 'account.activity'],
      },
      'not confirmed': {
        ...signedIn,
        replies: unproven,
        shows: ['account.unconfirmed', 'account.unconfirmed_text', 'account.resend'],
      },
      'without a phone number': {
        ...signedIn,
        replies: [accountOf(noPhone), newest, ...methods],
        shows: ['account.add_phone'],
      },
      'the link sent again': {
        ...signedIn,
        replies: [answers(resendConfirmation, {}), ...unproven],
        acts: [press('account.resend')],
        shows: ['account.resent'],
      },
      ...failingWith(resendConfirmation, { replies: unproven }, press('account.resend')),
      'confirmed by the link': {
        ...byLink,
        replies: [answers(confirmEmail, undefined), ...lists],
        shows: ['account.email_confirmed'],
      },
      'an old link': {
        ...byLink,
        replies: [refuses(confirmEmail, 'confirmation_link_expired'), ...unproven],
        shows: ['change_email.expired'],
      },
    },
  },
  {
    of: 'Another email',
    page: 'account-security',
    states: {
      'nothing typed': {
        ...doing(press('account.change_email'), press('account.change_email')),
        shows: ['account.email_now', 'label.email_new', 'invalid.email_required', 'invalid.password_required'],
      },
      canceled: { ...doing(press('account.change_email'), press('account.cancel')), shows: ['account.change_email'] },
      'no address': { ...doing(...newAddress('anna')), shows: ['invalid.email_invalid'] },
      'their own address': {
        ...refusing(requestEmailChange, { field: 'email', code: 'email_unchanged' }, ...newAddress('anna@example.com')),
        shows: ['invalid.email_unchanged'],
      },
      ...failing(requestEmailChange, ...newAddress('anna@new.example')),
      'waits for its link': {
        ...signedIn,
        replies: [answers(readSecurity, { ...passwordOnly, email_pending: 'anna@new.example' }), ...lists],
        shows: ['account.email_pending', 'account.cancel'],
      },
      ...failingWith(
        cancelEmailChange,
        { replies: [answers(readSecurity, { ...passwordOnly, email_pending: 'anna@new.example' }), ...lists] },
        press('account.cancel'),
      ),
      asked: {
        ...responded(answers(requestEmailChange, {}), ...newAddress('anna@new.example')),
        shows: ['account.email_sent'],
      },
    },
  },
  {
    of: 'Change phone',
    page: 'account-security',
    states: {
      'asked for the number': { ...newNumber(), shows: ['account.phone_now', 'phone.what_happens', 'phone.call_me'] },
      'no number': { ...newNumber(press('account.save')), shows: ['invalid.required'] },
      'wrong number': {
        ...newNumber(type({ phone: '12' }), press('account.save')),
        shows: ['invalid.phone_invalid'],
      },
      'not confirmed': {
        ...newNumber(type({ phone: '+12025550147' }), press('account.save')),
        shows: ['invalid.phone_not_confirmed'],
      },
      ...withoutCall(failing(changePhone, ...optionalNumber)),
      changed: {
        ...responded(answers(changePhone, anna), ...optionalNumber),
        settings: { phoneConfirmation: 'optional' },
        shows: ['account.phone_changed'],
      },
    },
  },
  {
    of: 'Change password',
    page: 'account-security',
    states: {
      'nothing typed': {
        ...doing(press('account.change_password'), press('account.change_password')),
        shows: ['invalid.password_required', 'invalid.required'],
      },
      'too short': { ...doing(...typed('abc')), shows: ['invalid.password_too_short'] },
      'too long': { ...doing(...typed('abcdefgh'.repeat(200))), shows: ['invalid.password_too_long'] },
      'not the same': { ...doing(...typed(word, 'other horse')), shows: ['invalid.passwords_differ'] },
      common: {
        ...refusing(changePassword, { field: 'password', code: 'password_common' }, ...typed(word)),
        shows: ['invalid.password_common'],
      },
      ...failing(changePassword, ...typed(word)),
      changed: {
        ...responded(answers(changePassword, undefined), ...typed(word)),
        shows: ['account.password_changed'],
      },
    },
  },
  {
    of: 'Activity',
    page: 'account-security',
    states: {
      'every kind': {
        ...signedIn,
        replies: [account, answers(readActivity, { records: activityLines, next: null }), ...methods],
        shows: Object.values(activityWords),
      },
      ...refusalsOf(readActivity, { from: { ...signedIn, replies: [...over, account, ...methods] }, words: ended }),
      'older ones': { ...doing(press('account.older')), shows: ['account.older'] },
    },
  },
  {
    of: 'Step-up dialog',
    page: 'account-privacy',
    states: {
      password: { ...opened(['password']), shows: ['second_step.page', 'step_up.lead', 'step_up.submit'] },
      code: { ...opened(['authenticator', 'passkey']), shows: ['second_step.code', 'second_step.passkey'] },
      passkey: { ...opened(['passkey']), shows: ['second_step.passkey', 'form.cancel'] },
      'every method': {
        ...opened(['password', 'authenticator', 'passkey']),
        shows: ['step_up.password', 'second_step.code'],
      },
      'code after all': {
        ...opened(['authenticator', 'passkey'], { acts: [press('second_step.passkey')] }),
        shows: ['step_up.code'],
      },
      'passkey only, an old browser': {
        ...opened(['passkey']),
        before: before(lacksPasskeys),
        shows: ['passkey.unsupported'],
      },
      canceled: { ...opened(['password'], { acts: [press('form.cancel')] }), shows: ['account.download'] },
      'nothing typed': {
        ...opened(['password'], { acts: [press('step_up.submit')] }),
        shows: ['invalid.password_required'],
      },
      'no code': { ...opened(['authenticator'], { acts: [submit] }), shows: ['invalid.required'] },
      waiting: { ...byPassword, shows: ['form.wait'] },
      'still waiting': {
        ...byPassword,
        acts: [...byPassword.acts, wait(overdueAfter)],
        shows: ['frame.overdue', 'error_page.retry'],
      },
      'picking a passkey': { ...byPasskey, before: before(waitsForPasskey), shows: ['form.wait'] },
      'no passkey picked': { ...byPasskey, before: before(cancelsPasskey), shows: ['passkey.canceled'] },
      ...refusalsOf(stepUp, { from: byPassword, details, words }),
      ...withPrefix('code', refusalsOf(stepUp, { from: byCode, details, words })),
      ...withPrefix('passkey', refusalsOf(stepUp, { from: byPasskey, details, words })),
    },
  },
];
