import { pathIn } from '../../contract/languages.ts';
import { button, type Letter, paragraph, type Writing } from '../letter/letter.ts';

/** Welcomes a new account, and tells whoever owns the address that somebody registered with it. */
export const registered = (
  { say, product, language, recipient }: Writing,
  /** `proof`: shows that whoever opens the link in their session reads this mail. */
  { proof }: { readonly proof?: string },
): Letter => ({
  subject: say('mail.registered.subject', { product: product.name }),
  body: [
    paragraph(say('mail.registered.lead', { email: recipient })),
    paragraph(say('mail.registered.next')),
    button(
      say('mail.registered.button'),
      `${product.publicUrl}${pathIn(language.code, '/computers/add/')}${proof ? `?hash=${proof}` : ''}`,
    ),
    paragraph(say('mail.registered.not_you')),
    button(say('mail.registered.reset'), `${product.publicUrl}${pathIn(language.code, '/recovery/')}`),
  ],
});
