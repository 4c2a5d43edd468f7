import { button, type Letter, paragraph, type Writing } from '../letter/letter.ts';

/** For somebody who cannot take the call: confirms a registration instead. The address has no account yet. */
export const confirmMail = ({ say, product }: Writing, { link }: { readonly link: string }): Letter => ({
  subject: say('mail.confirm_mail.subject', { product: product.name }),
  body: [
    paragraph(say('mail.confirm_mail.lead')),
    button(say('mail.confirm_mail.button'), link),
    paragraph(say('mail.confirm_mail.not_you')),
  ],
});
