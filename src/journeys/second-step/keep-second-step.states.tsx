import { forgetLink, keptQuery } from '../../browser/navigation/kept-query.ts';
import { press } from '../../gallery/acts.ts';
import { answers } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { stopRemoval } from './second-step.contract.ts';

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
