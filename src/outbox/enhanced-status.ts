/** RFC 3463, section 3.2: nobody is there. `5.1.7` and `5.1.8` are about the sender, and the operator fixes those. */
const noSuchRecipient = /^5\.1\.(?!7\b|8\b)\d+\b/;

/** Whether an enhanced status code, with or without a comment behind it, says that the recipient does not exist. */
export const saysNoSuchAddress = (status: string): boolean => noSuchRecipient.test(status.trim());

/** A code inside a sentence; not a part of an IP address or of a version. */
const permanentStatus = /(?<![\d.])5\.\d{1,3}\.\d{1,3}(?!\.?\d)/;

/** `5.0.0` says nothing, and servers give the others both for an unknown recipient and for much else (Microsoft: `5.4.1`, `5.5.0`). */
const ambiguousStatus = /^5\.(?:0\.\d+|3\.0|4\.1|5\.0)$/;

/**
 * What the first of these texts with a telling enhanced status code says about the recipient: `gone` or `refused`;
 * undefined where none of them has such a code.
 */
export function verdictOf(...texts: readonly string[]): 'gone' | 'refused' | undefined {
  for (const text of texts) {
    const status = permanentStatus.exec(text)?.[0];
    if (status === undefined || ambiguousStatus.test(status)) continue;
    return saysNoSuchAddress(status) ? 'gone' : 'refused';
  }
  return undefined;
}
