import { NoSuchAddress, SendingBlocked, TryLater, Unacknowledged } from '../email-message.ts';
import { saysNoSuchAddress } from '../enhanced-status.ts';
import { toSingleLine } from '../single-line.ts';

interface SmtpError {
  /** nodemailer's: `EENVELOPE`, `EAUTH`, `ESOCKET`, … */
  readonly code?: string;
  /** The system's or the TLS library's, where nodemailer put its own over it. */
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly message: string;
}

/** In whichever of its lines: the first may be for people alone. */
const knowsNobody = (response: string): boolean =>
  response.split(/\r?\n/).some((line) => /^5\d\d[ -]/.test(line) && saysNoSuchAddress(line.slice(4)));

/** Once the recipient is named the answers are about this mail; before that, and at a goodbye (421), about the server. */
const stagesOfAMail = ['RCPT TO', 'DATA'];

/**
 * What an error means for the mail, as an error of ours. Only “there is no such recipient” is final; any other
 * permanent answer (RFC 5321, section 4.2.1) is about us or about a policy, and may be mended within the day. What is not an answer to
 * this mail stays as it is.
 */
export function asOutcome(error: unknown): unknown {
  const { command = '', response = '', responseCode = 0 } = error as SmtpError;
  const message = toSingleLine((error as SmtpError).message);
  if (!stagesOfAMail.includes(command) || responseCode < 400 || responseCode === 421) return error;
  // A mail has one recipient, so that an answer to its data can mean nobody else.
  if (knowsNobody(response)) return new NoSuchAddress(message, { cause: error });
  // "Bad sequence of commands" is a slip of the conversation.
  if (responseCode < 500 || responseCode === 503) return new TryLater(message, { cause: error });
  return new SendingBlocked(message, { cause: error });
}

/** The same after the whole mail: without a response to it nobody knows whether the server has it. */
export function asUnacknowledged(error: unknown): unknown {
  const { responseCode = 0, message } = error as SmtpError;
  return responseCode >= 400 ? asOutcome(error) : new Unacknowledged(toSingleLine(message), { cause: error });
}

/** A failure of the connection, the sign-in or the sender, with what an operator can do about it. */
export function asServerFault(error: unknown): Error {
  const { code, originalCode, command, response = '', responseCode = 0 } = error as SmtpError;
  const message = toSingleLine((error as SmtpError).message);
  if (command === 'RCPT TO' && knowsNobody(response)) return new NoSuchAddress(message, { cause: error });
  // Said of the recipient, as by servers that put off whom they do not know yet.
  if (command === 'RCPT TO' && passes(responseCode) && responseCode !== 421)
    return new TryLater(message, { cause: error });
  const hint = hintOf({ code, originalCode, response, message });
  const words = hint ? `${message} (${hint})` : message;
  const isLasting = responseCode >= 500 || (code === 'EAUTH' && !passes(responseCode));
  return isLasting ? new SendingBlocked(words, { cause: error }) : new Error(words, { cause: error });
}

/** RFC 4954, section 6: 454 is a fault of theirs that passes, whatever nodemailer calls it. */
const passes = (responseCode: number): boolean => responseCode >= 400 && responseCode < 500;

const unverified = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

function hintOf({
  code,
  originalCode = '',
  response = '',
  message = '',
}: Partial<Record<'code' | 'originalCode' | 'response' | 'message', string | undefined>>) {
  if (unverified.includes(originalCode)) {
    return 'nobody that this machine trusts vouches for the certificate; name your own authority’s in NODE_EXTRA_CA_CERTS';
  }
  if (originalCode === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'SMTP_URL must name the host as its certificate does';
  if (originalCode === 'CERT_HAS_EXPIRED') return 'the mail server’s certificate has run out';
  if (originalCode === 'ECONNREFUSED') return 'nobody listens at that host and port of SMTP_URL';
  if (code === 'EDNS') return 'the host of SMTP_URL has no address';
  if (code === 'EAUTH' && !/^4/.test(response)) return 'the user or the password of SMTP_URL is wrong, or may not send';
  if (code === 'ETLS')
    return 'the server offers no TLS, or none that is safe; ?tls=optional does without, on a network of your own';
  if (originalCode === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return 'no TLS is spoken there; for a server that begins without it SMTP_URL begins with smtp://';
  if (message === 'Greeting never received')
    return 'a server that speaks TLS from the first byte waits for ours: then SMTP_URL begins with smtps://';
  if (message === 'The operation was aborted due to timeout')
    return 'the mail server can be connected to, and then says nothing, or says it too slowly';
  return /^530\b/.test(response) ? 'the server asks for a user and a password in SMTP_URL' : undefined;
}
