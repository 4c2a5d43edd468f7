import { pathIn } from '../../contract/languages.ts';
import {
  button,
  type EmailContent,
  type EmailContext,
  paragraph,
  recoveryAddress,
  textLink,
} from '../email/email-content.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

interface FewCodes {
  /** How many are left, 0 to 3. */
  readonly left: number;
  /** Where the sign-in with the code came from. */
  readonly origin?: RequestOrigin | undefined;
}

/** Notifies the owner after a sign-in with a recovery code that few are left, and what to do if it was someone else. */
export const recoveryCodesLow = (writing: EmailContext, { left, origin }: FewCodes): EmailContent => {
  const { say, product, language } = writing;
  return {
    subject: say('mail.recovery_codes_low.subject', { product: product.name }),
    body: [
      paragraph(say('mail.recovery_codes_low.lead', { left: String(left) })),
      ...(origin ? [requestOriginDetails(writing, origin)] : []),
      button(
        say('mail.recovery_codes_low.button'),
        `${product.publicUrl}${pathIn(language.code, '/account/security/')}#second-step`,
      ),
      paragraph(say('mail.new_device.not_you')),
      textLink(say('mail.registered.reset'), recoveryAddress(writing)),
    ],
  };
};
