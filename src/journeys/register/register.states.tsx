import { keepDraft } from '../../browser/forms/draft.ts';
import type { FieldCode, FieldFailure } from '../../contract/failures.ts';
import { leave, submit, type } from '../../gallery/acts.ts';
import { granted } from '../../gallery/examples/account.ts';
import { answers, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { register as endpoint } from './register.contract.ts';

const settings = { phoneConfirmation: 'off' } as const;
const person = {
  name: 'Anna Berg',
  email: 'anna@example.com',
  phone: '+1 202 555 0147',
  organization: 'Berg & Söhne',
  inn: '7707083893',
  promo_code: 'WELCOME24',
};
const word = 'correct horse';
const filledIn = { password: word, password_repeat: word, consent_personal_data: true };
const filled = {
  settings,
  before: () => keepDraft('register', person),
  acts: [type(filledIn), submit],
} satisfies Partial<State>;

/** A field that the server refuses although the browser accepted it. */
const refused = (field: string, code: FieldCode, params?: FieldFailure['params']): State => ({
  ...filled,
  replies: [refuses(endpoint, 'validation_failed', { fields: [{ field, code, ...(params && { params }) }] })],
  shows: [`invalid.${code}`],
});

export const states: readonly States[] = [
  {
    of: 'Register',
    page: 'register',
    states: {
      empty: { shows: ['register.title', 'register.side_text', 'register.terms', 'frame.privacy'] },
      'without documents': {
        settings: { privacyUrl: undefined, termsUrl: undefined },
        shows: ['register.title'],
      },
      'filled in': { before: filled.before, shows: ['register.title'] },
      'nothing typed': {
        acts: [submit],
        shows: ['form.problem', 'invalid.required', 'invalid.consent_required'],
      },
      'number not confirmed': {
        before: () => keepDraft('register', person),
        acts: [type(filledIn), submit],
        shows: ['invalid.phone_not_confirmed'],
      },
      'wrongly typed': {
        settings,
        before: () => keepDraft('register', { ...person, email: 'anna', phone: '12', inn: '12' }),
        acts: [type({ password: 'abc', password_repeat: 'abcd' }), submit],
        shows: ['invalid.email_invalid', 'invalid.phone_invalid', 'invalid.inn_invalid', 'invalid.password_too_short'],
      },
      'typed too long': {
        settings,
        before: () => keepDraft('register', { ...person, name: 'Anna '.repeat(60), promo_code: 'W' }),
        acts: [type({ password: 'a'.repeat(1200), password_repeat: word }), submit],
        shows: ['invalid.too_long', 'invalid.too_short', 'invalid.password_too_long'],
      },
      'passwords differ': {
        settings,
        before: filled.before,
        acts: [type({ ...filledIn, password_repeat: 'other horse' }), submit],
        shows: ['invalid.passwords_differ'],
      },
      'INN with letters': {
        settings,
        before: () => keepDraft('register', { ...person, inn: 'abcdefghij' }),
        acts: [type(filledIn), submit],
        shows: ['invalid.digits_only'],
      },
      'typing mistake': {
        acts: [type({ email: 'anna@gmial.com' }), leave('email')],
        shows: ['hint.email_suggestion'],
      },
      waiting: { ...filled, shows: ['form.wait'] },
      ...refusalsOf(endpoint, { from: filled }),
      'common password': refused('password', 'password_common'),
      'unknown promo code': refused('promo_code', 'promo_code_unknown'),
      'confirmation lost': refused('phone_confirmation', 'phone_not_confirmed'),
      'not understood': refused('name', 'not_understood'),
      'no password came': refused('password', 'password_required'),
      success: {
        ...filled,
        replies: [answers(endpoint, granted)],
        shows: ['register.success'],
      },
    },
  },
];
