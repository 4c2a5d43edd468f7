import { button, type Letter, paragraph, recoveryAddress, type Writing } from '../letter/letter.ts';

/** Tells the owner that a sign-in canceled the deletion of the account. */
export const deletionCanceled = (writing: Writing, _params: object): Letter => {
  const { say, product } = writing;
  return {
    subject: say('mail.deletion_canceled.subject', { product: product.name }),
    body: [
      paragraph(say('mail.deletion_canceled.lead')),
      button(say('mail.recovery.button'), recoveryAddress(writing)),
    ],
  };
};
