const longest = 120;

/**
 * A provider's error text, for the operator's log. A provider may repeat our request, so everything that could be a
 * number, a code or a key is removed.
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
