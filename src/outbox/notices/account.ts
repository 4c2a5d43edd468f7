import { pathIn } from '../../contract/languages.ts';
import {
  button,
  type EmailContent,
  type EmailContext,
  paragraph,
  plainNotice,
  recoveryAddress,
  textLink,
} from '../email/email-content.ts';

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

interface WithLink {
  readonly link: string;
}

/** Confirms a registration for people who cannot take the call. The address has no account yet. */
export const confirmMail = plainNotice<WithLink>({
  subject: 'mail.confirm_mail.subject',
  body: ['mail.confirm_mail.lead', { button: 'mail.confirm_mail.button', opens: 'link' }, 'mail.confirm_mail.not_you'],
});

/** Asks the owner of an account to confirm its address. The link works only for the signed-in owner. */
export const emailConfirmation = plainNotice<WithLink>({
  subject: 'mail.email_confirmation.subject',
  body: [
    'mail.email_confirmation.lead',
    { button: 'mail.email_confirmation.button', opens: 'link' },
    'mail.email_confirmation.not_you',
  ],
});

const change = (lead: 'mail.email_change.lead' | 'mail.email_change.by_support') =>
  plainNotice<WithLink>({
    subject: 'mail.email_change.subject',
    body: [
      lead,
      { button: 'mail.email_change.button', opens: 'link' },
      'mail.email_change.validity',
      'mail.email_change.not_you',
    ],
  });
const changes = { owner: change('mail.email_change.lead'), operator: change('mail.email_change.by_support') };

/** Asks the reader of a new address whether an account may use it, which its owner or an operator wants. */
export const emailChange = (
  context: EmailContext,
  { by = 'owner', link }: WithLink & { readonly by?: 'owner' | 'operator' },
): EmailContent => changes[by](context, { link });

/** Tells the old address about the new one, `email`, and how to undo the change: the link works until `when`. */
export const emailChanged = plainNotice<WithLink & { readonly email: string; readonly when: number }>({
  subject: 'mail.email_changed.subject',
  body: [
    'mail.email_changed.lead',
    'mail.email_changed.not_you',
    'mail.email_changed.undoing',
    { button: 'mail.email_changed.button', opens: 'link' },
  ],
});

/** Lists what the undone change of address ended for the owner. The link sets a password; it works once, for an hour. */
export const emailChangeUndone = plainNotice<WithLink>({
  subject: 'mail.email_change_undone.subject',
  body: ['mail.email_change_undone.lead', { button: 'mail.recovery.button', opens: 'link' }, 'mail.recovery.validity'],
});

/** Informs the owner about a new phone number, and how to get back in if it was someone else. */
export const phoneChanged = plainNotice<{ readonly when: number; readonly digits: string }>({
  subject: 'mail.phone_changed.subject',
  body: [
    'mail.phone_changed.lead',
    'mail.phone_changed.not_you',
    { button: 'mail.phone_changed.button', opens: 'recovery' },
  ],
});
