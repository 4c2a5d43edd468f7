import { forgetLink, keptQuery } from '../../../browser/navigation/kept-query.ts';
import { press } from '../../../gallery/acts.ts';
import { answers } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.ts';
import { changeEmail, undoEmailChange } from './change-email.contract.ts';

/** As the link in the mail brings it. */
const linkWith = (hash: string) =>
  ({
    before() {
      forgetLink();
      keptQuery.write({ ...keptQuery.read(), link: { hash, email: 'anna@example.com', call: '' } });
    },
  }) satisfies Partial<State>;
const change = linkWith('s3cret');
const undo = linkWith('undo.s3cret');
const use = { ...change, acts: [press('change_email.submit')] };
const takeBack = { ...undo, acts: [press('change_email.undo_title')] };
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
      changed: {
        ...use,
        replies: [answers(changeEmail, { email: 'anna@example.com' })],
        shows: ['change_email.done', 'register.sign_in'],
      },
      'from the old address': { ...undo, shows: ['change_email.undo_title', 'change_email.undo_lead'] },
      ...Object.fromEntries(
        Object.entries(refusalsOf(undoEmailChange, { from: takeBack, words })).map(([name, state]) => [
          `taken back, ${name}`,
          state,
        ]),
      ),
      'taken back': {
        ...takeBack,
        replies: [answers(undoEmailChange, { email: 'anna@example.com' })],
        shows: ['change_email.undone', 'change_email.undone_text', 'change_email.set_password'],
      },
    },
  },
];
