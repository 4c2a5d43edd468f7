import { pathIn } from '../../contract/languages.ts';
import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

/** The first computer, others that were gathered behind it, and how many more are not told one by one. */
interface AddedComputers extends RequestOrigin {
  readonly others?: readonly RequestOrigin[];
  readonly more?: number;
}

/** Tells the owner of computers that were added, and what to do if it was not them. */
export const computerAdded = (
  writing: EmailContext,
  { others = [], more = 0, ...first }: AddedComputers,
): EmailContent => {
  const { say, product, language } = writing;
  return {
    subject: say('mail.computer_added.subject', { product: product.name }),
    body: [
      paragraph(say('mail.computer_added.lead')),
      ...[first, ...others].map((added) => requestOriginDetails(writing, added)),
      ...(more > 0 ? [paragraph(say('mail.computer_added.more', { count: String(more) }))] : []),
      paragraph(say('mail.computer_added.not_you')),
      button(say('mail.computer_added.button'), `${product.publicUrl}${pathIn(language.code, '/dashboard/')}`),
    ],
  };
};
