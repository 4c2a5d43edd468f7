/** No message is longer, and whoever pastes a book has to wait for nothing. */
const longestText = 2000;
/** So many digits are a calling number, whose last ones count. */
const shortestNumber = 7;
const callDigits = 4;

const group = /\d(?:[ \u00a0-]?\d)*/g;
/** As domain-bound codes end (https://wicg.github.io/sms-one-time-codes/). */
const bound = /^@\S+ #(\d+)/mu;

/**
 * The code in a whole message that somebody pastes, of one of these lengths; a whole number where four are the last of one.
 * Undefined for bare digits, which stay as they are, and where there is no such code.
 */
export function digitsInText(text: string, lengths: readonly number[]): string | undefined {
  const pasted = text.slice(0, longestText).normalize('NFKC');
  if (!/\p{L}/u.test(pasted)) return undefined;
  const fits = (digits: string) => lengths.includes(digits.length);
  const isNumber = (digits: string) => lengths.includes(callDigits) && digits.length >= shortestNumber;
  const ended = bound.exec(pasted)?.[1];
  if (ended !== undefined && fits(ended)) return ended;
  const groups = [...pasted.matchAll(group)].map(([digits]) => digits.replace(/\D/g, ''));
  return groups.find(isNumber) ?? groups.find(fits);
}

/** Puts the code of a pasted message into a field, or the message where it has none. */
export function pasteDigits(
  field: HTMLInputElement,
  { text, lengths }: { text: string; lengths: readonly number[] },
): void {
  field.setRangeText(digitsInText(text, lengths) ?? text, 0, field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
}
