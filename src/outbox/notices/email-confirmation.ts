import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** Asks the owner of an account to confirm its address. The link works only for the signed-in owner. */
export const emailConfirmation = (
  { say, product, recipient }: EmailContext,
  { link }: { readonly link: string },
): EmailContent => ({
  subject: say('mail.email_confirmation.subject', { product: product.name }),
  body: [
    paragraph(say('mail.email_confirmation.lead', { email: recipient })),
    button(say('mail.email_confirmation.button'), link),
    paragraph(say('mail.email_confirmation.not_you')),
  ],
});
