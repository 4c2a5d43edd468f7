import { code, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

interface SignInCode extends RequestOrigin {
  /** Six digits. */
  readonly code: string;
}

/**
 * A code to type instead of the password, in the browser that requested it. It has no link, since an attacker could
 * lure someone else into opening one.
 */
export const signInCode = (writing: EmailContext, asked: SignInCode): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.sign_in_code.subject', { code: asked.code, product: product.name }),
    body: [
      paragraph(say('mail.sign_in_code.lead')),
      code(asked.code),
      paragraph(say('mail.sign_in_code.validity')),
      requestOriginDetails(writing, asked),
      paragraph(say('mail.sign_in_code.not_you')),
    ],
  };
};
