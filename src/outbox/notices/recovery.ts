import { button, type Letter, paragraph, type Writing } from '../letter/letter.ts';

/** The way back in for somebody who forgot their password; `link` works once, for an hour from sending. */
export const recovery = ({ say, product }: Writing, { link }: { readonly link: string }): Letter => ({
  subject: say('mail.recovery.subject', { product: product.name }),
  body: [
    paragraph(say('mail.recovery.lead')),
    button(say('mail.recovery.button'), link),
    paragraph(say('mail.recovery.validity')),
    paragraph(say('mail.recovery.not_you')),
  ],
});
