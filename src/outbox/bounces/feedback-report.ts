import { fieldGroups } from './fields.ts';
import { isSameAddress, type Report } from './report.ts';

export const feedbackReportType = 'message/feedback-report';

/** RFC 5965, section 7.3; `virus`, `auth-failure` and `not-spam` are not complaints. */
const complaints = ['abuse', 'fraud', 'other', 'opt-out'];

/** A report in the Abuse Reporting Format (RFC 5965): a recipient marked one of our emails as spam. */
export interface Feedback {
  /** Return path of the reported email, which identifies it. */
  readonly returnPath: string | undefined;
  /** Undefined unless it is a complaint. */
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
      // Most services omit the address; a different one means that the mailbox forwards its email.
      const isOurs = complainer === undefined || isSameAddress(complainer, recipient);
      return { kind: isOurs ? 'complaint' : 'refused', detail: `Complaint: ${type}` };
    },
  };
}
