import { overdueAfter } from '../../../browser/requests/request-status.ts';
import { stepUp, stepUpChallenge } from '../../../contract/sign-in/step-up.ts';
import { type Act, press, submit, type, wait } from '../../../gallery/acts.ts';
import { account, over, pickOptions, signedIn } from '../../../gallery/examples/account.ts';
import { cancelsPasskey, lacksPasskeys, usesPasskey, waitsForPasskey } from '../../../gallery/passkey-dialogs.ts';
import { answers, type Reply, refuses } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import { exportAccount } from '../leaving/export-account.contract.ts';

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
