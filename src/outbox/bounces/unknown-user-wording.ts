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
