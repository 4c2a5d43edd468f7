import { button, type Letter, paragraph, recoveryAddress, type Writing } from '../letter/letter.ts';

/** Tells the first owner of an address what was removed from the account, and how to set a password. */
export const accountCleared = (writing: Writing, _params: object): Letter => {
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
