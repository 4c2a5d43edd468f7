import { submit, type } from '../../../gallery/acts.ts';
import { accountOf, anna, signedIn } from '../../../gallery/examples/account.ts';
import { answers, refuses } from '../../../gallery/replies.ts';
import type { States } from '../../../gallery/state.tsx';
import { changeAccount } from '../account.contract.ts';
import { failing, read, responded } from '../account.states.tsx';

export const states: readonly States[] = [
  {
    of: 'Notifications',
    page: 'account-notifications',
    states: {
      read: {
        ...read,
        shows: [
          'account_notifications.page',
          'account.emails',
          'account.emails_always',
          'account.mail_new_device',
          'account.language',
          'account.time_zone',
        ],
      },
      'not confirmed': {
        ...signedIn,
        replies: [accountOf({ email_confirmed: false })],
        shows: ['account.unconfirmed_text'],
      },
      ...failing(changeAccount, {}, submit),
      'not understood': {
        ...responded(
          refuses(changeAccount, 'validation_failed', { fields: [{ field: 'locale', code: 'not_understood' }] }),
          submit,
        ),
        shows: ['invalid.not_understood'],
      },
      saved: {
        ...responded(answers(changeAccount, anna), type({ mail_new_device: false }), submit),
        shows: ['account.saved'],
      },
    },
  },
];
