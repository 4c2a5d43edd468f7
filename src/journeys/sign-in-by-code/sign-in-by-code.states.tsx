import { enterStep } from '../../browser/navigation/history.ts';
import { seconds } from '../../contract/units.ts';
import { press, submit, type } from '../../gallery/acts.ts';
import { granted } from '../../gallery/examples/account.ts';
import { answers, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { loginByCode, requestCode } from './sign-in-by-code.contract.ts';

const settings = { mailCode: true };
const asked = {
  settings,
  before: () => enterStep({ email: 'anna@example.com', sentAt: Date.now() }, true),
} satisfies Partial<State>;
/** A code requested long enough ago to allow another one. */
const askedBefore = {
  settings,
  before: () => enterStep({ email: 'anna@example.com', sentAt: Date.now() - seconds(90) }, true),
} satisfies Partial<State>;

const ask = [type({ email: 'anna@example.com' }), press('sign_in.code_instead')];
const send = [type({ code: '123456' }), submit];

export const states: readonly States[] = [
  {
    of: 'Sign-in by code',
    page: 'sign-in',
    states: {
      offered: { settings, shows: ['sign_in.code_instead'] },
      'without an address': { settings, acts: [press('sign_in.code_instead')], shows: ['invalid.email_required'] },
      asking: { settings, acts: ask, shows: ['form.wait'] },
      ...refusalsOf(requestCode, { from: { settings, acts: ask } }),
      asked: { settings, acts: ask, replies: [answers(requestCode, {})], shows: ['code.title', 'code.resend_in'] },
      'may ask again': { ...askedBefore, shows: ['code.resend'] },
    },
  },
  {
    of: 'Code from the mail',
    page: 'sign-in',
    states: {
      empty: { ...asked, acts: [submit], shows: ['invalid.required'] },
      letters: { ...asked, acts: [type({ code: 'abcdef' }), submit], shows: ['invalid.digits_only'] },
      'too short': { ...asked, acts: [type({ code: '123' }), submit], shows: ['invalid.code_six'] },
      waiting: { ...asked, acts: send, shows: ['form.wait'] },
      success: {
        ...asked,
        acts: send,
        replies: [answers(loginByCode, granted)],
        shows: ['sign_in.success'],
      },
      ...refusalsOf(loginByCode, {
        from: { ...asked, acts: send },
        details: { code_incorrect: { attempts_left: 2 } },
      }),
      'refused another one': {
        ...askedBefore,
        acts: [press('code.resend')],
        replies: [refuses(requestCode, 'too_many_requests')],
        shows: ['failure.too_many_requests'],
      },
    },
  },
];
