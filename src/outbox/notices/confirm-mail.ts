import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** Confirms a registration for people who cannot take the call. The address has no account yet. */
export const confirmMail = ({ say, product }: EmailContext, { link }: { readonly link: string }): EmailContent => ({
  subject: say('mail.confirm_mail.subject', { product: product.name }),
  body: [
    paragraph(say('mail.confirm_mail.lead')),
    button(say('mail.confirm_mail.button'), link),
    paragraph(say('mail.confirm_mail.not_you')),
  ],
});
