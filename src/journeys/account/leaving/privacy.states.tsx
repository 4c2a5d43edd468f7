import { logout } from '../../../contract/sign-in/admission.ts';
import { press, type } from '../../../gallery/acts.ts';
import { accountOf, anna, signedIn } from '../../../gallery/examples/account.ts';
import { answers } from '../../../gallery/replies.ts';
import { refusalsOf, type States } from '../../../gallery/state.tsx';
import { changeAccount, deleteAccount } from '../account.contract.ts';
import { doing, failing, read } from '../account.states.tsx';
import { exportAccount } from './export-account.contract.ts';

const at = '2026-01-01T12:00:00Z';
const offers = { kind: 'offers', given: true, version: 1, document: null, locale: 'en', at } as const;
const leaving = [press('account.delete'), type({ delete_password: 'correct horse' }), press('account.delete')];

export const states: readonly States[] = [
  {
    of: 'Consents',
    page: 'account-privacy',
    states: {
      'offers refused': {
        ...read,
        shows: [
          'account_privacy.page',
          'account.consents',
          'account.consent_given',
          'account.consent_absent',
          'account.agree',
        ],
      },
      'offers agreed to': {
        ...signedIn,
        replies: [accountOf({ consents: [...anna.consents, offers] })],
        shows: ['account.withdraw', 'register.consent_offers'],
      },
      ...failing(changeAccount, {}, press('account.agree')),
    },
  },
  {
    of: 'Leaving',
    page: 'account-privacy',
    states: {
      'a copy': {
        ...refusalsOf(exportAccount, { from: doing(press('account.download')) })['no response'],
        shows: ['failure.no_answer', 'account.export_text'],
      },
      'asked for the password': {
        ...doing(press('account.delete')),
        shows: ['account.current_password', 'account.delete_text', 'account.cancel'],
      },
      canceled: { ...doing(press('account.delete'), press('account.cancel')), shows: ['account.delete_text'] },
      'without the password': {
        ...doing(press('account.delete'), press('account.delete')),
        shows: ['invalid.password_required'],
      },
      ...failing(deleteAccount, {}, ...leaving),
      deleted: {
        ...doing(...leaving),
        replies: [answers(deleteAccount, undefined), answers(logout, undefined), ...read.replies],
        shows: ['account.deleted', 'account.deleted_text', 'account.deletion_date', 'register.sign_in'],
      },
    },
  },
];
