import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** Asks the reader of a new address whether an account may use it. */
export const emailChange = (
  { say, product, recipient }: EmailContext,
  { link }: { readonly link: string },
): EmailContent => ({
  subject: say('mail.email_change.subject', { product: product.name }),
  body: [
    paragraph(say('mail.email_change.lead', { email: recipient })),
    button(say('mail.email_change.button'), link),
    paragraph(say('mail.email_change.validity')),
    paragraph(say('mail.email_change.not_you')),
  ],
});
