// Unicode isolates (UAX 9) order their content separately: a German name, an address or a date cannot reorder the words
// of an Arabic sentence, and a name cannot reorder any sentence.
const firstStrong = '\u2068';
const leftToRight = '\u2066';
const end = '\u2069';

const directionControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a value is one line, even if a name contains control characters
const lineBreaks = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const isolated = /([\u2066\u2068])([^\u2066-\u2069]*)\u2069/g;

const bare = (value: string): string => value.replace(directionControls, '').replace(lineBreaks, ' ');

/** Isolates a value in a sentence; its first letter decides its direction. */
export const isolate = (value: string): string => `${firstStrong}${bare(value)}${end}`;

/** Isolates an address, a link or a code in a sentence: left to right in every language. */
export const isolateLeftToRight = (value: string): string => `${leftToRight}${bare(value)}${end}`;

const rightToLeftLetter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const otherLetterOrDigit =
  /(?![\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])[\p{L}\p{N}]/u;

/** For a text part: keeps isolates only around values that run against their sentence. */
export function asPlainText(text: string, dir: 'ltr' | 'rtl'): string {
  const against = dir === 'rtl' ? otherLetterOrDigit : rightToLeftLetter;
  return text.replace(isolated, (whole, _start, value: string) => (against.test(value) ? whole : value));
}

/** Values that keep their order without isolates: only digits, or a letter first and a letter or digit last. */
const keepsItsOrder = /^(?:\p{N}+|\p{L}(?:.*[\p{L}\p{N}])?)$/u;

/**
 * For a subject. Between words, a name of the other direction keeps its order anyway (UAX 9), and invisible characters
 * disturb lists of emails, filters and searches. Isolates stay only around a name such as "Yahoo!" or "7 Doors" that
 * runs against its sentence: its sign or digit would move to the other end.
 */
export const asSubject = (text: string, dir: 'ltr' | 'rtl'): string =>
  asPlainText(text, dir).replace(isolated, (whole, _start, value: string) =>
    keepsItsOrder.test(value) ? value : whole,
  );

/** For an HTML part: escapes the text, and replaces isolates with elements. */
export const asHtml = (text: string): string =>
  escapeHtml(text).replace(isolated, (_whole, start: string, value: string) =>
    start === leftToRight ? `<span dir="ltr">${value}</span>` : `<span dir="auto">${value}</span>`,
  );

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => entities[found] as string);
