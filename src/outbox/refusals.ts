import { toSingleLine } from '../outgoing/send-request.ts';
import { NoSuchAddress, SendingBlocked, TryLater, Unacknowledged } from './compose.ts';

/**
 * RFC 3463, section 3.2: the recipient does not exist. `5.1.7` and `5.1.8` concern the sender, which the operator can
 * fix.
 */
const noSuchRecipient = /^5\.1\.(?!0\b|7\b|8\b)\d+\b/;

/** Yandex has the code of a policy for an unknown recipient. */
const noSuchUserOfYandex = /(?<![\d.])5\.7\.1 no such user!/i;

/**
 * Postfix refuses our sender in response to RCPT TO, with `5.1.0` (`reject_unlisted_sender`); other servers do so with
 * `5.1.1`. Every recipient would seem unknown.
 */
const ofSender =
  /\bsender (?:address )?(?:rejected|refused|denied|unknown|invalid|not found|verif\w* failed|does(?: not|n['’]t) exist)/i;

/** Whether a refusal concerns our own sender, whatever its code says. */
const isAboutSender = (text: string): boolean => ofSender.test(text);

/** Whether a response that begins with an enhanced status code says that the recipient does not exist. */
const saysNoSuchAddress = (response: string): boolean =>
  (noSuchRecipient.test(response.trim()) || noSuchUserOfYandex.test(response)) && !isAboutSender(response);

/** A code inside a sentence, but not part of an IP address or a version. */
const permanentStatus = /(?<![\d.])5\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
/** Of a refusal that the sending server repeated until it gave up: the cause may pass. */
const temporaryStatus = /(?<![\d.])4\.[0-7]\.\d{1,3}(?!\.?\d)/;

/**
 * `5.0.0` is meaningless, `5.1.0` does not say whose address is wrong, and servers use the others both for an unknown
 * recipient and for much else (Microsoft: `5.4.1`, `5.5.0`).
 */
const ambiguousStatus = /^5\.(?:0\.\d+|1\.0|3\.0|4\.1|5\.0)$/;

/**
 * The verdict of the first text with a conclusive enhanced status code: `gone` or `refused`; undefined if there is
 * none.
 */
export function verdictOf(...texts: readonly string[]): 'gone' | 'refused' | undefined {
  if (texts.some(isAboutSender)) return 'refused';
  if (texts.some((text) => noSuchUserOfYandex.test(text))) return 'gone';
  for (const text of texts) {
    const status = permanentStatus.exec(text)?.[0];
    if (status === undefined && temporaryStatus.test(text)) return 'refused';
    if (status === undefined || ambiguousStatus.test(status)) continue;
    return saysNoSuchAddress(status) ? 'gone' : 'refused';
  }
  return undefined;
}

/** How servers without a conclusive code say that a recipient does not exist. */
const wordings = [
  /\bno such (?:user|mailbox|recipient|account|address|person|domain user)\b/i,
  /\b(?:user|recipient|mailbox|account|address)(?: <?\S+@\S+>?)? (?:is )?(?:unknown|not found)\b/i,
  /\b(?:user|recipient|mailbox|account|address)\b[^.;]{0,60}\bdoes(?: not|n['’]t) exist\b/i,
  /\b(?:unknown|non-?existent|invalid) (?:user|recipient|mailbox|local[ -]part|address error)\b/i,
  /\bno mailbox (?:here )?by that name\b/i,
  // Yahoo, older and current.
  /\bdoes(?: not|n['’]t) have an? \S+ account\b/i,
  /\(554\.30\)/,
  // Microsoft Exchange Online, which checks recipients against its directory.
  /\b5\.4\.1\b.*\brecipient address rejected: access denied\b/i,
  /\b5\.5\.0 requested action not taken: mailbox unavailable\b/i,
];

/** Wording that concerns something else: the sender, a policy, or a mailbox that exists. */
const otherSubject =
  /\b(?:sender|mail from|helo|ehlo|verif\w*|spf|dkim|dmarc|spam|polic\w+|block\w*|blacklist\w*|quota|full|relay\w*|tempor\w*)\b/i;

/** A temporary refusal, which the sending server repeated until it gave up. */
const temporary = /(?:^|[;:]\s*)4\d\d[ -]/;

/**
 * Whether the wording of a refusal says that the recipient does not exist. Wording is weaker than a code: use this only
 * for a refusal without a conclusive code, by our own mail server or in a report that our return token authenticates.
 */
export const saysUnknownUser = (refusal: string): boolean =>
  !otherSubject.test(refusal) && !temporary.test(refusal) && wordings.some((wording) => wording.test(refusal));

interface SmtpError {
  /** nodemailer's: `EENVELOPE`, `EAUTH`, `ESOCKET`, … */
  readonly code?: string;
  /** The code of the system or the TLS library, if nodemailer replaced it with its own. */
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly message: string;
}

/** Checks every line, since the first may be text for people. */
const hasUnknownUserCode = (response: string): boolean =>
  !isAboutSender(response) &&
  response.split(/\r?\n/).some((line) => /^5\d\d[ -]/.test(line) && saysNoSuchAddress(line.slice(4)));

/**
 * Exim and others refuse a recipient without a conclusive enhanced code. The wording counts only in response to RCPT
 * TO: about the data, it may quote a rule of a filter.
 */
const hasUnknownUserWording = ({ command, response = '', responseCode = 0 }: SmtpError): boolean =>
  command === 'RCPT TO' &&
  responseCode >= 500 &&
  verdictOf(response) === undefined &&
  saysUnknownUser(response.replaceAll(/^\d{3}[ -]/gm, ''));

/** From RCPT TO on, responses concern this email; before that, and with 421, they concern the server. */
const stagesOfAMail = ['RCPT TO', 'DATA'];

/**
 * Translates an error into its meaning for this email. Only “there is no such recipient” is final; any other permanent
 * response (RFC 5321, section 4.2.1) concerns us or a policy, which someone may fix within the day. Returns an error
 * that is not a response to this email unchanged.
 */
export function asOutcome(error: unknown): unknown {
  const { command = '', response = '', responseCode = 0 } = error as SmtpError;
  const message = toSingleLine((error as SmtpError).message);
  if (!stagesOfAMail.includes(command) || responseCode < 400 || responseCode === 421) return error;
  // An email has one recipient, so a response to its data concerns that one.
  if (hasUnknownUserCode(response) || hasUnknownUserWording(error as SmtpError))
    return new NoSuchAddress(message, { cause: error });
  // "Bad sequence of commands" is an error in the dialogue, not a refusal.
  if (responseCode < 500 || responseCode === 503) return new TryLater(message, { cause: error });
  return new SendingBlocked(message, { cause: error });
}

/** Like `asOutcome`, after the whole email: without a response, the server may or may not have it. */
export function asUnacknowledged(error: unknown): unknown {
  const { responseCode = 0, message } = error as SmtpError;
  return responseCode >= 400 ? asOutcome(error) : new Unacknowledged(toSingleLine(message), { cause: error });
}

/** Translates an error of the connection, the sign-in or the sender, with a hint for the operator. */
export function asServerFault(error: unknown): Error {
  const { code, originalCode, command, response = '', responseCode = 0 } = error as SmtpError;
  const message = toSingleLine((error as SmtpError).message);
  if (command === 'RCPT TO' && (hasUnknownUserCode(response) || hasUnknownUserWording(error as SmtpError)))
    return new NoSuchAddress(message, { cause: error });
  // Concerns the recipient: for example, a server that defers senders it does not know yet (greylisting).
  if (command === 'RCPT TO' && passes(responseCode) && responseCode !== 421)
    return new TryLater(message, { cause: error });
  const hint = hintOf({ code, originalCode, response, message });
  const words = hint ? `${message} (${hint})` : message;
  const isLasting = responseCode >= 500 || (code === 'EAUTH' && !passes(responseCode));
  return isLasting ? new SendingBlocked(words, { cause: error }) : new Error(words, { cause: error });
}

/** A temporary refusal. RFC 4954, section 6: 454 is one, whatever nodemailer calls it. */
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
    return 'this machine does not trust the issuer of the certificate; give your own CA’s certificate in NODE_EXTRA_CA_CERTS';
  }
  if (originalCode === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'SMTP_URL must name the host as its certificate does';
  if (originalCode === 'CERT_HAS_EXPIRED') return 'the mail server’s certificate has expired';
  if (originalCode === 'ECONNREFUSED') return 'nothing listens at the host and port in SMTP_URL';
  if (code === 'EDNS') return 'the host in SMTP_URL has no address';
  if (code === 'EAUTH' && !/^4/.test(response))
    return 'the user or the password in SMTP_URL is wrong, or this user may not send';
  if (code === 'ETLS') return 'the server offers no secure TLS; on your own network, ?tls=optional sends without it';
  if (originalCode === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return 'the server does not speak TLS from the first byte; use an SMTP_URL that begins with smtp://';
  if (message === 'Greeting never received')
    return 'the server may expect TLS from the first byte; use an SMTP_URL that begins with smtps://';
  if (message === 'The operation was aborted due to timeout')
    return 'the mail server accepts connections, but responds too slowly or not at all';
  return /^530\b/.test(response) ? 'the server requires a user and a password in SMTP_URL' : undefined;
}
