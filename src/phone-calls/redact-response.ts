const longest = 120;

/**
 * What a provider says of a failure, for an operator's log. A provider may repeat what we sent, so whatever could be a
 * number, a code or a key is left out.
 */
export function redactResponse(said: unknown): string {
  if (typeof said !== 'string' || said.trim() === '') return '';
  const plain = said
    .replace(/[\w-]{16,}/g, '…')
    .replace(/\d[\d\s().,+-]{2,}\d/g, '…')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return `: “${plain.length > longest ? `${plain.slice(0, longest)}…` : plain}”`;
}
