import { callingNumberMinLength, phoneDigits } from '../../contract/fields/field-sizes.ts';

/** Longer than any message; bounds the search if someone pastes a book. */
const longestText = 2000;
const group = /\d(?:[ \u00a0-]?\d)*/g;
/** The last line of a domain-bound code (https://wicg.github.io/sms-one-time-codes/). */
const bound = /^@\S+ #(\d+)/mu;

/**
 * Finds a code of one of these lengths in a pasted message, or a phone number if the code may be its last four digits.
 * Undefined if there is no code, and for bare digits, which the field keeps as they are.
 */
export function digitsInText(text: string, lengths: readonly number[]): string | undefined {
  const pasted = text.slice(0, longestText).normalize('NFKC');
  if (!/\p{L}/u.test(pasted)) return undefined;
  const fits = (digits: string) => lengths.includes(digits.length);
  const isNumber = (digits: string) => lengths.includes(phoneDigits) && digits.length >= callingNumberMinLength;
  const ended = bound.exec(pasted)?.[1];
  if (ended !== undefined && fits(ended)) return ended;
  const groups = [...pasted.matchAll(group)].map(([digits]) => digits.replace(/\D/g, ''));
  return groups.find(isNumber) ?? groups.find(fits);
}

/** Puts the code of a pasted message into a field, or the whole text if it has no code. */
export function pasteDigits(
  field: HTMLInputElement,
  { text, lengths }: { text: string; lengths: readonly number[] },
): void {
  field.setRangeText(digitsInText(text, lengths) ?? text, 0, field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
}
