import { forgetLink, keptQuery } from '../../../browser/navigation/kept-query.ts';
import { press } from '../../../gallery/acts.ts';
import { answers } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import { confirmMail } from '../confirm-phone.contract.ts';

/** The page opened with the link from the email. */
const opened = {
  before() {
    forgetLink();
    keptQuery.write({ ...keptQuery.read(), link: { hash: 's3cret', email: '', call: 'pT4wZ1xK8vQ2nB6mR9sLcd' } });
  },
} satisfies Partial<State>;
const confirm = { ...opened, acts: [press('confirm_mail.submit')] };

export const states: readonly States[] = [
  {
    of: 'Confirm by email',
    page: 'confirm-mail',
    states: {
      'link opened': { ...opened, shows: ['confirm_mail.lead'] },
      'incomplete link': { before: forgetLink, shows: ['link.incomplete', 'reset.request_new'] },
      waiting: { ...confirm, shows: ['form.wait'] },
      ...refusalsOf(confirmMail, { from: confirm }),
      success: {
        ...confirm,
        replies: [answers(confirmMail, { phone_confirmation: 'call.proof', phone: '+4915123456789' })],
        shows: ['confirm_mail.done'],
      },
    },
  },
];
