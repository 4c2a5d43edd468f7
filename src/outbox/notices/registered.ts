import { pathIn } from '../../contract/languages.ts';
import {
  button,
  type EmailContent,
  type EmailContext,
  paragraph,
  recoveryAddress,
  textLink,
} from '../email/email-content.ts';

/** Welcomes a new account, and informs the owner of the address that someone registered with it. */
export const registered = (
  writing: EmailContext,
  /** `proof`: shows that the signed-in user who opens the link reads this email. */
  { proof }: { readonly proof?: string },
): EmailContent => {
  const { say, product, language, recipient } = writing;
  return {
    subject: say('mail.registered.subject', { product: product.name }),
    body: [
      paragraph(say('mail.registered.lead', { email: recipient })),
      paragraph(say('mail.registered.next')),
      button(
        say('mail.registered.button'),
        `${product.publicUrl}${pathIn(language.code, '/computers/add/')}${proof ? `?hash=${proof}` : ''}`,
      ),
      paragraph(say('mail.registered.not_you')),
      textLink(say('mail.registered.reset'), recoveryAddress(writing)),
    ],
  };
};
