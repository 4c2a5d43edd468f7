import { forgetLink, keptQuery } from '../../../browser/navigation/kept-query.ts';
import { press, submit, type } from '../../../gallery/acts.ts';
import { signedIn } from '../../../gallery/examples/account.ts';
import { answers, loses, type Reply, refuses } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import { resetPassword } from '../../recover-password/recover-password.contract.ts';
import { changeEmail, previewUndo, undoEmailChange } from './change-email.contract.ts';

/** The page as the emailed link opens it. */
const linkWith = (hash: string) =>
  ({
    before() {
      forgetLink();
      keptQuery.write({ ...keptQuery.read(), link: { hash, email: 'anna@example.com', call: '' } });
    },
  }) satisfies Partial<State>;
const change = linkWith('s3cret');
const removes = { computers: 1, passkeys: 2, authenticator: true, password: true };
const undo = { ...linkWith('undo.s3cret'), replies: [answers(previewUndo, removes)] };
const use = { ...change, acts: [press('change_email.submit')] };
const pressUndo = { ...undo, acts: [press('change_email.undo_title')] };
const undone = {
  ...pressUndo,
  replies: [...undo.replies, answers(undoEmailChange, { email: 'anna@example.com', reset: 'n3w', removed: 1 })],
};
const set = {
  ...undone,
  acts: [...pressUndo.acts, type({ password: 'correct horse', password_repeat: 'correct horse' }), submit],
};
/** Loses the first response, and refuses the next request; then anew. */
function lostOnce(): Reply {
  let requests = 0;
  const replies = [refuses(undoEmailChange, 'confirmation_link_expired'), loses(undoEmailChange)];
  const respond = () => {
    requests += 1;
    return (replies[requests % replies.length] as Reply).respond();
  };
  return { endpoint: undoEmailChange, respond };
}
const words = { confirmation_link_expired: 'change_email.expired' } as const;

export const states: readonly States[] = [
  {
    of: 'Change email',
    page: 'change-email',
    states: {
      'from the new address': { ...change, shows: ['change_email.page', 'change_email.lead', 'change_email.submit'] },
      'a part of the link is missing': { before: forgetLink, shows: ['link.incomplete', 'reset.request_new'] },
      waiting: { ...use, shows: ['form.wait'] },
      ...refusalsOf(changeEmail, { from: use, words }),
      'used before': {
        ...use,
        replies: [refuses(changeEmail, 'confirmation_link_expired', { used: true })],
        shows: ['change_email.done', 'register.sign_in'],
      },
      changed: {
        ...use,
        replies: [answers(changeEmail, { email: 'anna@example.com' })],
        shows: ['change_email.done', 'register.sign_in'],
      },
      'changed while signed in': {
        ...use,
        before() {
          signedIn.before();
          use.before();
        },
        replies: [answers(changeEmail, { email: 'anna@example.com' })],
        shows: ['change_email.done', 'account_security.page'],
      },
      'from the old address': {
        ...undo,
        shows: ['change_email.undo_title', 'change_email.undo_lead', 'change_email.undo_removes', 'security.passkeys'],
      },
      ...Object.fromEntries(
        Object.entries(
          refusalsOf(previewUndo, {
            from: linkWith('undo.s3cret'),
            words: { confirmation_link_expired: 'reset.used' },
          }),
        ).map(([name, state]) => [`from the old address, ${name}`, state]),
      ),
      ...Object.fromEntries(
        Object.entries(
          refusalsOf(undoEmailChange, { from: pressUndo, words: { confirmation_link_expired: 'reset.used' } }),
        ).map(([name, state]) => [`undone, ${name}`, state]),
      ),
      'undone, although the first response was lost': {
        ...undo,
        acts: [press('change_email.undo_title'), press('change_email.undo_title')],
        replies: [...undo.replies, lostOnce()],
        shows: ['change_email.undone', 'change_email.undone_text', 'reset.request_new'],
      },
      undone: { ...undone, shows: ['change_email.undone', 'change_email.undone_text', 'reset.account'] },
      'undone, nothing typed': {
        ...undone,
        acts: [...pressUndo.acts, submit],
        shows: ['invalid.password_required', 'invalid.required'],
      },
      'undone, too short': {
        ...undone,
        acts: [...pressUndo.acts, type({ password: 'abc', password_repeat: 'abd' }), submit],
        shows: ['invalid.password_too_short', 'invalid.passwords_differ'],
      },
      'undone, too long': {
        ...undone,
        acts: [...pressUndo.acts, type({ password: 'abcdefgh'.repeat(200) }), submit],
        shows: ['invalid.password_too_long'],
      },
      'undone, a common password': {
        ...set,
        replies: [
          ...undone.replies,
          refuses(resetPassword, 'validation_failed', { fields: [{ field: 'password', code: 'password_common' }] }),
        ],
        shows: ['invalid.password_common'],
      },
      ...Object.fromEntries(
        Object.entries(refusalsOf(resetPassword, { from: set })).map(([name, state]) => [
          `undone, new password, ${name}`,
          state,
        ]),
      ),
      'undone, password set': {
        ...set,
        replies: [...undone.replies, answers(resetPassword, undefined)],
        shows: ['reset.success', 'reset.success_lead', 'reset.sign_in'],
      },
    },
  },
];
