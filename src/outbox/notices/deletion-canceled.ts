import { button, type EmailContent, type EmailContext, paragraph, recoveryAddress } from '../email/email-content.ts';

/** Informs the owner that a sign-in canceled the deletion of the account. */
export const deletionCanceled = (writing: EmailContext, _params: object): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.deletion_canceled.subject', { product: product.name }),
    body: [
      paragraph(say('mail.deletion_canceled.lead')),
      button(say('mail.recovery.button'), recoveryAddress(writing)),
    ],
  };
};
