import { pathIn } from '../../contract/languages.ts';
import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** Says when the account will be deleted, and that a sign-in keeps it; `when` in ms since the epoch. */
export const deletionPlanned = (
  { say, product, language, dateTime }: EmailContext,
  { when }: { readonly when: number },
): EmailContent => ({
  subject: say('mail.deletion_planned.subject', { product: product.name }),
  body: [
    paragraph(say('mail.deletion_planned.lead', { when: dateTime(when) })),
    paragraph(say('mail.deletion_planned.back')),
    button(say('mail.deletion_planned.button'), `${product.publicUrl}${pathIn(language.code, '/')}`),
    paragraph(say('mail.deletion_planned.not_you')),
  ],
});
