import { dashboardButton } from '../email/dashboard-button.ts';
import { type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

/** The first computer, others batched with it, and the number of further ones that are only counted. */
interface AddedComputers extends RequestOrigin {
  readonly others?: readonly RequestOrigin[];
  readonly more?: number;
}

/** Tells the owner about added computers, and what to do if someone else added them. */
export const computerAdded = (
  writing: EmailContext,
  { others = [], more = 0, ...first }: AddedComputers,
): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.computer_added.subject', { product: product.name }),
    body: [
      paragraph(say('mail.computer_added.lead')),
      ...[first, ...others].map((added) => requestOriginDetails(writing, added)),
      ...(more > 0 ? [paragraph(say('mail.computer_added.more', { count: String(more) }))] : []),
      paragraph(say('mail.computer_added.not_you')),
      dashboardButton(writing),
    ],
  };
};
