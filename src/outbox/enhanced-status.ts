/**
 * RFC 3463, section 3.2: the recipient does not exist. `5.1.7` and `5.1.8` concern the sender, which the operator can
 * fix.
 */
const noSuchRecipient = /^5\.1\.(?!7\b|8\b)\d+\b/;

/** Whether an enhanced status code, with or without a comment after it, says that the recipient does not exist. */
export const saysNoSuchAddress = (status: string): boolean => noSuchRecipient.test(status.trim());

/** A code inside a sentence, but not part of an IP address or a version. */
const permanentStatus = /(?<![\d.])5\.\d{1,3}\.\d{1,3}(?!\.?\d)/;

/**
 * `5.0.0` is meaningless, and servers use the others both for an unknown recipient and for much else (Microsoft:
 * `5.4.1`, `5.5.0`).
 */
const ambiguousStatus = /^5\.(?:0\.\d+|3\.0|4\.1|5\.0)$/;

/**
 * The verdict of the first text with a conclusive enhanced status code: `gone` or `refused`; undefined if there is
 * none.
 */
export function verdictOf(...texts: readonly string[]): 'gone' | 'refused' | undefined {
  for (const text of texts) {
    const status = permanentStatus.exec(text)?.[0];
    if (status === undefined || ambiguousStatus.test(status)) continue;
    return saysNoSuchAddress(status) ? 'gone' : 'refused';
  }
  return undefined;
}
