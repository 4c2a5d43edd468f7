import PostalMime, { type Email } from 'postal-mime';
import { deliveryStatusTypes, readDeliveryStatus } from './delivery-status.ts';
import { type Feedback, feedbackReportType, readFeedback, reportedEmailTypes } from './feedback-report.ts';
import { readFailedRecipients, readQsbmf } from './plain-report.ts';
import type { Report } from './report.ts';

/** A report has three parts. One is our email, which has two. */
const limits = { maxNestingDepth: 10, maxHeadersSize: 64 * 1024, maxRfc822NestingDepth: 0 };
/** The outcome precedes the quoted email, and the parser spends time on every line, even an empty one. */
const mostLines = 5000;
const lineFeed = 0x0a;

/** A parsed message, before we know its email. */
export type ReadReport = Pick<Feedback, 'returnPath' | 'about'>;

/**
 * Reads a returned message: a delivery status notification, a complaint, or the equivalent by Exim or qmail. Any other
 * message, such as an out-of-office reply, contains no report.
 */
export async function readReport(raw: Uint8Array): Promise<ReadReport> {
  const parsed = await PostalMime.parse(beginningOf(raw), limits).catch(() => undefined);
  if (!parsed) return { returnPath: undefined, about: () => undefined };
  const feedback = partOf(parsed, [feedbackReportType]);
  if (feedback !== undefined) return readFeedback(feedback, partOf(parsed, reportedEmailTypes));
  return { returnPath: undefined, about: (recipient) => reportIn(parsed, recipient) };
}

function reportIn(parsed: Email, recipient: string): Report | undefined {
  const status = partOf(parsed, deliveryStatusTypes);
  if (status !== undefined) return readDeliveryStatus(status, recipient);
  const text = parsed.text ?? '';
  const failed = parsed.headers.find(({ key }) => key === 'x-failed-recipients')?.value ?? '';
  return readFailedRecipients(failed, text, recipient) ?? readQsbmf(text, recipient);
}

function partOf({ attachments }: Email, types: readonly string[]): string | undefined {
  const content = attachments.find(({ mimeType }) => types.includes(mimeType))?.content;
  return content === undefined || typeof content === 'string' ? content : new TextDecoder().decode(content);
}

function beginningOf(raw: Uint8Array): Uint8Array {
  let end = 0;
  for (let lines = 0; lines < mostLines; lines += 1) {
    end = raw.indexOf(lineFeed, end) + 1;
    if (end === 0) return raw;
  }
  return raw.subarray(0, end);
}
