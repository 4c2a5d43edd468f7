import { fieldGroups } from './fields.ts';
import { isSameAddress, type Report } from './report.ts';

export const feedbackReportType = 'message/feedback-report';

/** RFC 5965, section 7.3; a virus, an authentication failure and `not-spam` are nobody's complaint. */
const complaints = ['abuse', 'fraud', 'other', 'opt-out'];

/** A complaint in the Abuse Reporting Format (RFC 5965): somebody called a letter of ours spam. */
export interface Feedback {
  /** The return path of the letter that it is about, which names it. */
  readonly returnPath: string | undefined;
  /** Undefined where nobody complains. */
  about(recipient: string): Report | undefined;
}

export function readFeedback(text: string): Feedback {
  const [fields] = fieldGroups(text);
  const type = fields?.get('feedback-type')?.toLowerCase() ?? '';
  const complainer = fields?.get('original-rcpt-to');
  return {
    returnPath: fields?.get('original-mail-from')?.replace(/^<|>$/g, ''),
    about(recipient) {
      if (!complaints.includes(type)) return undefined;
      // Most services leave the address out; a different one means that the mailbox forwards its mail.
      const isOurs = complainer === undefined || isSameAddress(complainer, recipient);
      return { kind: isOurs ? 'complaint' : 'refused', detail: `Complaint: ${type}` };
    },
  };
}
