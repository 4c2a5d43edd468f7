import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** Lists what the undone change of address ended for the owner. The link sets a password; it works once, for an hour. */
export const emailChangeUndone = (
  { say, product }: EmailContext,
  { link }: { readonly link: string },
): EmailContent => ({
  subject: say('mail.email_change_undone.subject', { product: product.name }),
  body: [
    paragraph(say('mail.email_change_undone.lead')),
    button(say('mail.recovery.button'), link),
    paragraph(say('mail.recovery.validity')),
  ],
});
