/** How servers say without a telling code that nobody is there. */
const wordings = [
  /\bno such (?:user|mailbox|recipient|account|address|person|domain user)\b/i,
  /\b(?:user|recipient|mailbox|account|address)(?: <?\S+@\S+>?)? (?:is )?(?:unknown|not found)\b/i,
  /\b(?:user|recipient|mailbox|account|address)\b[^.;]{0,60}\bdoes(?: not|n['’]t) exist\b/i,
  /\b(?:unknown|non-?existent|invalid) (?:user|recipient|mailbox|local[ -]part)\b/i,
  /\bno mailbox (?:here )?by that name\b/i,
  // Yahoo, earlier and today.
  /\bdoes(?: not|n['’]t) have an? \S+ account\b/i,
  /\(554\.30\)/,
  // Microsoft's Exchange Online, whose directory knows who is there.
  /\b5\.4\.1\b.*\brecipient address rejected: access denied\b/i,
  /\b5\.5\.0 requested action not taken: mailbox unavailable\b/i,
];

/** Other subjects of the same words: us, a policy, or a mailbox that exists. */
const otherSubject =
  /\b(?:sender|mail from|helo|ehlo|verif\w*|spf|dkim|dmarc|spam|polic\w+|block\w*|blacklist\w*|quota|full|relay\w*|tempor\w*)\b/i;

/**
 * Whether a refusal says in words that the recipient does not exist. Words are weaker than a code: ask this only about a
 * refusal without a telling code, in a report that a return token of ours authenticates.
 */
export const wordsSayNobody = (refusal: string): boolean =>
  !otherSubject.test(refusal) && wordings.some((wording) => wording.test(refusal));
