import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** Helps an owner who forgot their password; `link` works once, for an hour after sending. */
export const recovery = ({ say, product }: EmailContext, { link }: { readonly link: string }): EmailContent => ({
  subject: say('mail.recovery.subject', { product: product.name }),
  body: [
    paragraph(say('mail.recovery.lead')),
    button(say('mail.recovery.button'), link),
    paragraph(say('mail.recovery.validity')),
    paragraph(say('mail.recovery.not_you')),
  ],
});
