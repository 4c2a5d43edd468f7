import type { BounceKind } from '../../store/emails/bounces.ts';
import { inALabels } from '../domains/mailbox.ts';
import { verdictOf } from '../enhanced-status.ts';
import { toSingleLine } from '../single-line.ts';
import { saysUnknownUser } from './unknown-user-wording.ts';

/** The result of a report about one email. */
export interface Report {
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
export function refusalReport({ said, status = '', isOurs }: Refusal): Report {
  const detail = toSingleLine(said) || toSingleLine(status);
  const verdict = verdictOf(status, said) ?? (saysUnknownUser(said) ? 'gone' : 'refused');
  return { kind: verdict === 'gone' && isOurs ? 'no_such_address' : 'refused', detail };
}

/** Whether an address in a report, such as `rfc822; <a@b.example>`, is the recipient of the email. */
export const isSameAddress = (reported: string, recipient: string): boolean =>
  comparable(reported) === comparable(recipient);

const comparable = (address: string): string =>
  inALabels(
    address
      .replace(/^[\w-]+\s*;/, '')
      // A comment may follow (RFC 5322, section 3.2.2).
      .replace(/\([^()]*\)\s*$/, '')
      .trim()
      .replace(/^<|>$/g, ''),
  ).toLowerCase();
