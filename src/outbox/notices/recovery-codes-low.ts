import { pathIn } from '../../contract/languages.ts';
import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

interface FewCodes {
  /** How many are left, 0 to 3. */
  readonly left: number;
}

/** Notifies the owner after a sign-in with a recovery code that few are left. */
export const recoveryCodesLow = ({ say, product, language }: EmailContext, { left }: FewCodes): EmailContent => ({
  subject: say('mail.recovery_codes_low.subject', { product: product.name }),
  body: [
    paragraph(say('mail.recovery_codes_low.lead', { left: String(left) })),
    button(
      say('mail.recovery_codes_low.button'),
      `${product.publicUrl}${pathIn(language.code, '/account/security/')}#second-step`,
    ),
  ],
});
