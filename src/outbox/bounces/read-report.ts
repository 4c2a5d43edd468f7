import PostalMime, { type Email } from 'postal-mime';
import { toSingleLine } from '../../outgoing/send-request.ts';
import type { BounceKind } from '../../store/emails/bounces.ts';
import { inALabels } from '../domains/addresses.ts';
import { saysUnknownUser, verdictOf } from '../refusals.ts';

const feedbackReportType = 'message/feedback-report';
/** The reported email, or only its headers (RFC 5965, section 2). */
const reportedEmailTypes = ['message/rfc822', 'message/global', 'text/rfc822-headers'];

/** RFC 5965, section 7.3; `virus`, `auth-failure` and `not-spam` are not complaints. */
const complaints = ['abuse', 'fraud', 'other', 'opt-out'];

/** A report in the Abuse Reporting Format (RFC 5965): a recipient marked one of our emails as spam. */
interface Feedback {
  /** Return path of the reported email, which identifies it. */
  readonly returnPath: string | undefined;
  /** Undefined unless it is a complaint. */
  about(recipient: string): Report | undefined;
}

/** Reads a report and the reported email, whose headers name the return path if the report does not. */
function readFeedback(text: string, reported = ''): Feedback {
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

/** A report has three parts. One is our email, which has two. */
const limits = { maxNestingDepth: 10, maxHeadersSize: 64 * 1024, maxRfc822NestingDepth: 0 };
/** The outcome precedes the quoted email, and the parser spends time on every line, even an empty one. */
const maxLines = 5000;
const lineFeed = 0x0a;

/** A parsed message, before we know its email. */
type ReadReport = Pick<Feedback, 'returnPath' | 'about'>;

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
  for (let lines = 0; lines < maxLines; lines += 1) {
    end = raw.indexOf(lineFeed, end) + 1;
    if (end === 0) return raw;
  }
  return raw.subarray(0, end);
}

const deliveryStatusTypes = ['message/delivery-status', 'message/global-delivery-status'];
/** Each email has one recipient, whose server may forward it to several. */
const maxRecipients = 20;

/**
 * Reads a delivery status notification (RFC 3464) about an email to that recipient; undefined if the email arrived. The
 * kind is `no_such_address` only if the report says so for every address that the email was forwarded to.
 */
function readDeliveryStatus(text: string, recipient: string): Report | undefined {
  const statuses = fieldGroups(text)
    .filter((fields) => fields.has('action'))
    .slice(0, maxRecipients)
    .map((fields) => statusOf(fields, recipient));
  if (statuses.includes(undefined)) return undefined;
  return statuses.find((status) => status?.kind !== 'no_such_address') ?? statuses[0];
}

/** The report for one recipient; undefined unless the email is delayed or failed. */
function statusOf(fields: Fields, recipient: string): Report | undefined {
  // A comment may follow the action.
  const action = /^[a-z]+/.exec(fields.get('action')?.toLowerCase() ?? '')?.[0];
  const [status = '', diagnostic = ''] = [fields.get('status'), fields.get('diagnostic-code')];
  if (action === 'delayed') return { kind: 'delayed', detail: toSingleLine(diagnostic || status) };
  if (action !== 'failed') return undefined;
  const final = fields.get('final-recipient');
  return refusalReport({
    said: diagnostic,
    status,
    isOurs: final === undefined || isSameAddress(final, recipient),
  });
}

/** Fields of a report by lower-case name; the last of several wins. */
type Fields = ReadonlyMap<string, string>;

/**
 * Splits a report into groups of fields at empty lines (RFC 3464, section 2.1): the first describes the message, each
 * other one a recipient.
 */
const fieldGroups = (text: string): Fields[] =>
  unfold(text)
    .split('\n\n')
    .map((group) => new Map(group.split('\n').map(fieldIn)));

/** All values of a field that may occur several times, by its lower-case name. */
const valuesOf = (text: string, field: string): string[] =>
  unfold(text)
    .split('\n')
    .map(fieldIn)
    .flatMap(([name, value]) => (name === field ? [value] : []));

const unfold = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    // A line of blanks counts as empty, not as a folded field.
    .replaceAll(/\n[ \t]+(?=\n)/g, '\n')
    .replaceAll(/\n[ \t]/g, ' ');

function fieldIn(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

/** The line between the text of Exim or qmail and the copy of the email. */
const copy = /^-{3,} ?(?:this is a copy of|below this line is a copy of|enclosed is a copy of)/im;

/** Exim and Gmail list failed recipients in a header; older versions of Exim have no other report. */
function readFailedRecipients(header: string, text: string, recipient: string): Report | undefined {
  const failed = header
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  if (failed.length === 0) return undefined;
  const isOurs = failed.every((address) => isSameAddress(address, recipient));
  return refusalReport({ said: reasonIn(text), isOurs });
}

/** Exim indents the reason below the address. */
function reasonIn(text: string): string {
  const words = text.split(copy, 1)[0] ?? '';
  return words
    .split('\n')
    .filter((line) => /^\s+\S/.test(line))
    .join(' ');
}

const qsbmfStart = /^\s*Hi\. This is the\b/;
const qsbmfRecipient = /^<([^<>\s]+)>:\s/;

/**
 * Reads a report in the qmail-send bounce message format (https://cr.yp.to/proto/qsbmf.txt): a paragraph for each
 * recipient, above a copy of the email.
 */
function readQsbmf(text: string, recipient: string): Report | undefined {
  if (!qsbmfStart.test(text)) return undefined;
  const [words = ''] = text.replaceAll('\r\n', '\n').split(copy, 1);
  const reports = words.split(/\n{2,}/).flatMap((paragraph) => {
    const [start, address = ''] = qsbmfRecipient.exec(paragraph) ?? [];
    if (start === undefined) return [];
    // Some versions of qmail write a remote server's response with underscores instead of spaces.
    const said = paragraph.slice(start.length).replaceAll('_', ' ');
    return [refusalReport({ said, isOurs: isSameAddress(address, recipient) })];
  });
  return reports.find(({ kind }) => kind !== 'no_such_address') ?? reports[0];
}

/** The result of a report about one email. */
interface Report {
  readonly kind: BounceKind;
  /** The wording of the refusing server. */
  readonly detail: string;
}

interface Refusal {
  /** The refusing server's whole response. */
  readonly said: string;
  /** A separate enhanced status code, which takes precedence. */
  readonly status?: string;
  /** Whether it concerns the address that we sent to; a mailbox may forward its email to another one. */
  readonly isOurs: boolean;
}

/**
 * Classifies a permanent refusal. It is `no_such_address` only if the code, or the wording without a conclusive code,
 * says so about our own recipient.
 */
function refusalReport({ said, status = '', isOurs }: Refusal): Report {
  const detail = toSingleLine(said) || toSingleLine(status);
  const verdict = verdictOf(status, said) ?? (saysUnknownUser(said) ? 'gone' : 'refused');
  return { kind: verdict === 'gone' && isOurs ? 'no_such_address' : 'refused', detail };
}

/** Whether an address in a report, such as `rfc822; <a@b.example>`, is the recipient of the email. */
const isSameAddress = (reported: string, recipient: string): boolean => comparable(reported) === comparable(recipient);

const comparable = (address: string): string =>
  inALabels(
    address
      .replace(/^[\w-]+\s*;/, '')
      // A comment may follow (RFC 5322, section 3.2.2).
      .replace(/\([^()]*\)\s*$/, '')
      .trim()
      .replace(/^<|>$/g, ''),
  ).toLowerCase();
