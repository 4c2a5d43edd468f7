import { pathIn } from '../../contract/languages.ts';
import {
  button,
  type EmailContent,
  type EmailContext,
  paragraph,
  recoveryAddress,
  textLink,
} from '../email/email-content.ts';
import { plainNotice } from '../email/plain-notice.ts';

/** Welcomes a new account, and informs the owner of the address that someone registered with it. */
export const registered = (
  writing: EmailContext,
  /** `proof`: shows that the signed-in user who opens the link reads this email. */
  { proof }: { readonly proof?: string },
): EmailContent => {
  const { say, product, language, recipient } = writing;
  return {
    subject: say('mail.registered.subject', { product: product.name }),
    body: [
      paragraph(say('mail.registered.lead', { email: recipient })),
      paragraph(say('mail.email_confirmation.lead', { email: recipient })),
      button(
        say('mail.email_confirmation.button'),
        `${product.publicUrl}${pathIn(language.code, '/account/security/')}${proof ? `?hash=${proof}` : ''}`,
      ),
      paragraph(say('mail.registered.not_you')),
      textLink(say('mail.registered.reset'), recoveryAddress(writing)),
    ],
  };
};

/** Says when the account will be deleted, and that a sign-in keeps it. */
export const deletionPlanned = plainNotice<{ readonly when: number }>({
  subject: 'mail.deletion_planned.subject',
  body: [
    'mail.deletion_planned.lead',
    'mail.deletion_planned.back',
    { button: 'mail.deletion_planned.button', opens: '/' },
    'mail.deletion_planned.not_you',
  ],
});

/** Informs the owner that a sign-in canceled the deletion of the account. */
export const deletionCanceled = plainNotice({
  subject: 'mail.deletion_canceled.subject',
  body: ['mail.deletion_canceled.lead', { button: 'mail.recovery.button', opens: 'recovery' }],
});

/** Tells the first owner of an address what was removed from the account, and how to set a password. */
export const accountCleared = plainNotice({
  subject: 'mail.account_cleared.subject',
  body: [
    'mail.password_changed.cleared',
    'mail.account_cleared.password',
    { button: 'mail.recovery.button', opens: 'recovery' },
  ],
});

/** The last email of an account. It has no link, since there is nothing left to open. */
export const accountDeleted = plainNotice<{ readonly when: number }>({
  subject: 'mail.account_deleted.subject',
  body: ['mail.account_deleted.lead', 'mail.account_deleted.thanks'],
});
