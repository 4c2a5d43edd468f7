import { button, type EmailContent, type EmailContext, paragraph, recoveryAddress } from '../email/email-content.ts';

/** Tells the first owner of an address what was removed from the account, and how to set a password. */
export const accountCleared = (writing: EmailContext, _params: object): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.account_cleared.subject', { product: product.name }),
    body: [
      paragraph(say('mail.password_changed.cleared')),
      paragraph(say('mail.account_cleared.password')),
      button(say('mail.recovery.button'), recoveryAddress(writing)),
    ],
  };
};
