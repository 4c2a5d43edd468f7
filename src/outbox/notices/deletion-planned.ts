import { pathIn } from '../../contract/languages.ts';
import { button, type Letter, paragraph, type Writing } from '../letter/letter.ts';

/** Tells when an account will be gone, and that a sign-in keeps it; `when` in ms since the epoch. */
export const deletionPlanned = (
  { say, product, language, dateTime }: Writing,
  { when }: { readonly when: number },
): Letter => ({
  subject: say('mail.deletion_planned.subject', { product: product.name }),
  body: [
    paragraph(say('mail.deletion_planned.lead', { when: dateTime(when) })),
    paragraph(say('mail.deletion_planned.back')),
    button(say('mail.deletion_planned.button'), `${product.publicUrl}${pathIn(language.code, '/')}`),
    paragraph(say('mail.deletion_planned.not_you')),
  ],
});
