import { Undeliverable } from '../mail.ts';

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly message: string;
}

/** RFC 3463: `5.7.x` is about us and not about the mailbox: "relay access denied" ends when the operator mends a setting. */
const aboutUs = /^5\d\d[ -]5\.7\./;

/**
 * The server will never take a mail for this recipient: a permanent answer (RFC 5321, section 4.2.1) to RCPT TO.
 * Anything else that fails, a refused sender, a wrong password, a spam filter, may be mended within the day.
 */
export function asUndeliverable(error: unknown): Undeliverable | undefined {
  const { command, response = '', responseCode = 0, message } = error as SmtpError;
  const refused = command === 'RCPT TO' && responseCode >= 500 && responseCode !== 503 && !aboutUs.test(response);
  return refused ? new Undeliverable(message, { cause: error }) : undefined;
}
