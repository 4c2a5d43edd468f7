import { button, type EmailContent, type EmailContext, paragraph, recoveryAddress } from '../email/email-content.ts';

interface PasswordChange {
  /** Milliseconds since the epoch. */
  readonly when: number;
  /** Data that was entered before anyone confirmed the address has been removed. */
  readonly cleared?: boolean;
  /** Changed by the signed-in owner, whose session continues. */
  readonly own?: boolean;
}

/** Informs the owner about a new password, and how to get back in if it was someone else. */
export const passwordChanged = (
  writing: EmailContext,
  { when, cleared = false, own = false }: PasswordChange,
): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.password_changed.subject', { product: product.name }),
    body: [
      paragraph(say('mail.password_changed.lead', { when: dateTime(when) })),
      paragraph(say(own ? 'mail.password_changed.others' : 'mail.password_changed.sessions')),
      ...(cleared ? [paragraph(say('mail.password_changed.cleared'))] : []),
      paragraph(say('mail.password_changed.not_you')),
      button(say('mail.password_changed.button'), recoveryAddress(writing)),
    ],
  };
};
