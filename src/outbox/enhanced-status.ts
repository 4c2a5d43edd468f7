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
export const isAboutSender = (text: string): boolean => ofSender.test(text);

/** Whether a response that begins with an enhanced status code says that the recipient does not exist. */
export const saysNoSuchAddress = (response: string): boolean =>
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
