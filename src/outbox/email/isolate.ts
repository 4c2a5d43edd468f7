// Unicode's isolates (UAX 9): what is between them is ordered by itself, so that a German name, an address or
// a date cannot turn the words of an Arabic sentence around, and a name cannot turn the sentence around either.
const firstStrong = '\u2068';
const leftToRight = '\u2066';
const end = '\u2069';

const directionControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a value is one line, whatever somebody typed as a name
const lineBreaks = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const isolated = /([\u2066\u2068])([^\u2066-\u2069]*)\u2069/g;

const bare = (value: string): string => value.replace(directionControls, '').replace(lineBreaks, ' ');

/** A value inside a sentence, in whichever direction its own first letter has. */
export const isolate = (value: string): string => `${firstStrong}${bare(value)}${end}`;

/** An address, a link or a code inside a sentence: from left to right in every language. */
export const isolateLeftToRight = (value: string): string => `${leftToRight}${bare(value)}${end}`;

const rightToLeftLetter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const otherLetterOrDigit =
  /(?![\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])[\p{L}\p{N}]/u;

/** For a text part: keeps the invisible characters only where a value runs against its sentence. */
export function asPlainText(text: string, dir: 'ltr' | 'rtl'): string {
  const against = dir === 'rtl' ? otherLetterOrDigit : rightToLeftLetter;
  return text.replace(isolated, (whole, _start, value: string) => (against.test(value) ? whole : value));
}

/** Letters at both ends, digits behind letters, or nothing but digits: such a value keeps its order without isolates. */
const keepsItsOrder = /^(?:\p{N}+|\p{L}(?:.*[\p{L}\p{N}])?)$/u;

/**
 * For a subject. A name of another direction between words is one run of its own, which UAX 9 orders right by itself; lists of
 * emails, filters and searches show or trip over invisible characters. They stay only around a name such as "Yahoo!" or
 * "7 Doors" that runs against its sentence, whose sign or digit would otherwise move to the other end.
 */
export const asSubject = (text: string, dir: 'ltr' | 'rtl'): string =>
  asPlainText(text, dir).replace(isolated, (whole, _start, value: string) =>
    keepsItsOrder.test(value) ? value : whole,
  );

/** For an HTML part: escaped, with elements in place of the characters. */
export const asHtml = (text: string): string =>
  escapeHtml(text).replace(isolated, (_whole, start: string, value: string) =>
    start === leftToRight ? `<span dir="ltr">${value}</span>` : `<span dir="auto">${value}</span>`,
  );

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => entities[found] as string);
