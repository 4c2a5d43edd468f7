/**
 * Converts decimal digits of any script to ASCII: each script has ten in a row, starting at its zero (Unicode, section
 * 4.6).
 */
export const asciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0) as number;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && (digit.codePointAt(0) as number) - zero < 9) zero -= 1;
    return String((digit.codePointAt(0) as number) - zero);
  });
