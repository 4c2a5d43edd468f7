import { forgetLink, keptQuery } from '../../browser/navigation/kept-query.ts';
import { tabStorage } from '../../browser/platform/storage.ts';
import { press, submit, type } from '../../gallery/acts.ts';
import { granted, pending, pickOptions, removal_at } from '../../gallery/examples/account.ts';
import { cancelsPasskey, lacksPasskeys, usesPasskey, waitsForPasskey } from '../../gallery/passkey-dialogs.ts';
import { answers, loses, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { pendingSignIn, secondStep, secondStepChallenge, secondStepLost, stopRemoval } from './second-step.contract.ts';

const all = answers(pendingSignIn, pending);
const codeOnly = answers(pendingSignIn, { ...pending, ways: ['authenticator', 'recovery_code'] });
const passkeyOnly = answers(pendingSignIn, { ...pending, ways: ['passkey'] });
const planned = answers(pendingSignIn, { ways: ['authenticator', 'recovery_code'], removal_at });

const read = { replies: [all] } satisfies Partial<State>;
const typed = { ...read, acts: [type({ code: '123456' })] } satisfies Partial<State>;
const recovery = { ...read, acts: [press('second_step.recovery')] } satisfies Partial<State>;
const recovered = { ...read, acts: [...recovery.acts, type({ recovery_code: 'abcd-efgh' }), submit] };
const picks = {
  before: usesPasskey,
  replies: [answers(secondStepChallenge, pickOptions), all],
  acts: [press('second_step.passkey')],
} satisfies Partial<State>;
const lost = { ...read, acts: [press('second_step.lost')] } satisfies Partial<State>;
const asks = { ...read, acts: [...lost.acts, press('second_step.lost_submit')] } satisfies Partial<State>;
const completed = answers(secondStep, granted);
const details = { code_incorrect: { attempts_left: 3 }, too_many_attempts: { minutes: 15 } };
const withPrefix = (prefix: string, refusals: Readonly<Record<string, State>>) =>
  Object.fromEntries(Object.entries(refusals).map(([name, state]) => [`${prefix}, ${name}`, state]));

/** The page as the emailed link opens it. */
const opened = {
  before() {
    forgetLink();
    keptQuery.write({ ...keptQuery.read(), link: { hash: 's3cret', email: '', call: '' } });
  },
} satisfies Partial<State>;
const stop = { ...opened, acts: [press('security.removal_stop')] };

export const states: readonly States[] = [
  {
    of: 'Second step',
    page: 'second-step',
    states: {
      'every method': { ...read, shows: ['second_step.lead_code', 'second_step.passkey', 'second_step.lost'] },
      'code only': { replies: [codeOnly], shows: ['second_step.lead_code', 'second_step.recovery'] },
      'passkey only': { replies: [passkeyOnly], shows: ['second_step.lead_passkey', 'second_step.passkey'] },
      'passkey only, an old browser': {
        before: lacksPasskeys,
        replies: [passkeyOnly],
        shows: ['passkey.unsupported'],
      },
      'shared computer': {
        ...read,
        before: () => tabStorage.write('entered_by', 'shared'),
        shows: ['second_step.lead_code'],
      },
      'removal planned': { replies: [planned], shows: ['second_step.removal_at'] },
      reading: { shows: ['second_step.page'] },
      unread: { replies: [loses(pendingSignIn)], shows: ['failure.no_answer', 'form.retry'] },
      'none pending': {
        replies: [answers(pendingSignIn, { ...pending, ways: [] })],
        shows: ['second_step.over', 'failure.sign_in_expired'],
      },
      'nothing typed': { ...read, acts: [submit], shows: ['invalid.required'] },
      'too short': { ...read, acts: [type({ code: '123' }), submit], shows: ['invalid.code_six'] },
      letters: { ...read, acts: [type({ code: 'abcdef' }), submit], shows: ['invalid.digits_only'] },
      waiting: { ...typed, shows: ['form.wait'] },
      success: { ...typed, replies: [completed, all], shows: ['sign_in.success'] },
      ...refusalsOf(secondStep, { from: typed, details }),
    },
  },
  {
    of: 'Second step by passkey',
    page: 'second-step',
    states: {
      waiting: { ...picks, before: waitsForPasskey, shows: ['form.wait'] },
      canceled: { ...picks, before: cancelsPasskey, shows: ['passkey.canceled'] },
      ...withPrefix('challenge', refusalsOf(secondStepChallenge, { from: { ...picks, replies: [all] } })),
      ...refusalsOf(secondStep, { from: picks, details }),
    },
  },
  {
    of: 'Recovery code',
    page: 'second-step',
    states: {
      asked: { ...recovery, shows: ['second_step.recovery_lead', 'second_step.recovery_code', 'second_step.other'] },
      'nothing typed': { ...recovery, acts: [...recovery.acts, submit], shows: ['invalid.required'] },
      success: { ...recovered, replies: [completed, all], shows: ['sign_in.success'] },
      incorrect: {
        ...recovered,
        replies: [refuses(secondStep, 'code_incorrect', { attempts_left: 2 }), all],
        shows: ['failure.code_incorrect'],
      },
      locked: {
        ...recovered,
        replies: [refuses(secondStep, 'too_many_attempts', { minutes: 15 }), all],
        shows: ['failure.too_many_attempts'],
      },
    },
  },
  {
    of: 'Lost second step',
    page: 'second-step',
    states: {
      explained: { ...lost, shows: ['second_step.lost_title', 'second_step.lost_text', 'second_step.lost_wait'] },
      ...refusalsOf(secondStepLost, { from: asks }),
      requested: {
        ...asks,
        replies: [answers(secondStepLost, { removal_at }), all],
        shows: ['second_step.lost_done', 'second_step.removal_at', 'second_step.lost_next'],
      },
    },
  },
  {
    of: 'Keep second step',
    page: 'keep-second-step',
    states: {
      opened: { ...opened, shows: ['keep_second_step.page', 'keep_second_step.lead', 'security.removal_stop'] },
      'a part of the link is missing': { before: forgetLink, shows: ['link.incomplete', 'reset.request_new'] },
      waiting: { ...stop, shows: ['form.wait'] },
      ...refusalsOf(stopRemoval, {
        from: stop,
        words: { confirmation_link_expired: 'change_email.expired' },
      }),
      stopped: {
        ...stop,
        replies: [answers(stopRemoval, undefined)],
        shows: ['keep_second_step.done', 'keep_second_step.done_text', 'reset.title', 'reset.sign_in'],
      },
    },
  },
];
