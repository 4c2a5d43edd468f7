import type { BounceKind } from '../../store/emails/bounces.ts';
import { inALabels } from '../domains/mailbox.ts';
import { verdictOf } from '../enhanced-status.ts';
import { toSingleLine } from '../single-line.ts';
import { wordsSayNobody } from './unknown-user-wording.ts';

/** What a report says of the letter that it is about. */
export interface Report {
  readonly kind: BounceKind;
  /** In the words of the server that refused it. */
  readonly detail: string;
}

interface Refusal {
  /** The whole of what the refusing server said. */
  readonly said: string;
  /** An enhanced status code beside it, which comes first. */
  readonly status?: string;
  /** Whether it is about the address that the letter went to; a mailbox may hand its mail on to another one. */
  readonly isOurs: boolean;
}

/** A refusal for good: nobody is there where the code, or without a telling one the wording, says so of our own recipient. */
export function refusalReport({ said, status = '', isOurs }: Refusal): Report {
  const detail = toSingleLine(said) || toSingleLine(status);
  const verdict = verdictOf(status, said) ?? (wordsSayNobody(said) ? 'gone' : 'refused');
  return { kind: verdict === 'gone' && isOurs ? 'no_such_address' : 'refused', detail };
}

/** Whether a report's address is the one that a letter went to; `rfc822; <a@b.example>` as reports write it. */
export const isSameAddress = (reported: string, recipient: string): boolean =>
  comparable(reported) === comparable(recipient);

const comparable = (address: string): string =>
  inALabels(
    address
      .replace(/^[\w-]+\s*;/, '')
      .trim()
      .replace(/^<|>$/g, ''),
  ).toLowerCase();
