import { fieldGroups, valuesOf } from './fields.ts';
import { isSameAddress, type Report } from './report.ts';

export const feedbackReportType = 'message/feedback-report';
/** The reported email, or only its headers (RFC 5965, section 2). */
export const reportedEmailTypes = ['message/rfc822', 'message/global', 'text/rfc822-headers'];

/** RFC 5965, section 7.3; `virus`, `auth-failure` and `not-spam` are not complaints. */
const complaints = ['abuse', 'fraud', 'other', 'opt-out'];

/** A report in the Abuse Reporting Format (RFC 5965): a recipient marked one of our emails as spam. */
export interface Feedback {
  /** Return path of the reported email, which identifies it. */
  readonly returnPath: string | undefined;
  /** Undefined unless it is a complaint. */
  about(recipient: string): Report | undefined;
}

/** Reads a report and the reported email, whose headers name the return path if the report does not. */
export function readFeedback(text: string, reported = ''): Feedback {
  const [type = ''] = valuesOf(text, 'feedback-type');
  const [sender = fieldGroups(reported)[0]?.get('return-path')] = valuesOf(text, 'original-mail-from');
  const complainers = valuesOf(text, 'original-rcpt-to').filter(isNamed);
  return {
    returnPath: sender?.replace(/^<|>$/g, ''),
    about(recipient) {
      if (!complaints.includes(type.toLowerCase())) return undefined;
      // Most services omit the address; a different one means that the mailbox forwards its email.
      const isOurs = complainers.length === 0 || complainers.some((address) => isSameAddress(address, recipient));
      return { kind: isOurs ? 'complaint' : 'refused', detail: `Complaint: ${type.toLowerCase()}` };
    },
  };
}

/** Services may redact the address (RFC 6590). */
const isNamed = (address: string): boolean => /[^<\s]+@/.test(address) && !/redacted/i.test(address);
