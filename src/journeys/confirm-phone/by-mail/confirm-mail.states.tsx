import { press } from '../../../gallery/acts.ts';
import { answers } from '../../../gallery/replies.ts';
import { refusalsOf, type States } from '../../../gallery/state.ts';
import { confirmMail } from '../confirm-phone.contract.ts';

const acts = [press('confirm_mail.submit')];

export const states: readonly States[] = [
  {
    of: 'Confirm by mail',
    page: 'confirm-mail',
    states: {
      'the link was opened': { shows: ['confirm_mail.lead'] },
      waiting: { acts, shows: ['form.wait'] },
      ...refusalsOf(confirmMail, { from: { acts } }),
      success: {
        acts,
        replies: [answers(confirmMail, { phone_confirmation: 'call.proof', phone: '+4915123456789' })],
        shows: ['confirm_mail.done'],
      },
    },
  },
];
