import { dashboardButton } from '../email/dashboard-button.ts';
import { type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';
import { isHarmlessName } from '../email/harmless-name.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

interface AddedComputer extends RequestOrigin {
  /** The name that it got when it was added. */
  readonly computer?: string;
}

/** The first computer, others batched with it, and the number of further ones that are only counted. */
interface AddedComputers extends AddedComputer {
  readonly others?: readonly AddedComputer[];
  readonly more?: number;
}

/** Informs the owner about added computers, and what to do if someone else added them. */
export const computerAdded = (
  writing: EmailContext,
  { others = [], more = 0, ...first }: AddedComputers,
): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.computer_added.subject', { product: product.name }),
    body: [
      paragraph(say('mail.computer_added.lead')),
      ...[first, ...others].map((added) => requestOriginDetails(writing, { ...added, device: named(added) })),
      ...(more > 0 ? [paragraph(say('mail.computer_added.more', { count: String(more) }))] : []),
      paragraph(say('mail.computer_added.not_you')),
      dashboardButton(writing),
    ],
  };
};

/** "Front desk, Windows": owners know their computers by name, and a name alone could be anyone's. */
const named = ({ computer = '', device }: AddedComputer): string =>
  isHarmlessName(computer, digitsOfHostNames) ? `${computer}, ${device}` : device;

/** `DESKTOP-4K2T9P7` and the like; fewer than a phone number has. */
const digitsOfHostNames = 6;
