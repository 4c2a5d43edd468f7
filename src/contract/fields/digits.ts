/** Each decimal digit of any script as ASCII has it: they come in tens, from a zero on (Unicode, section 4.6). */
export const asciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0) as number;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && (digit.codePointAt(0) as number) - zero < 9) zero -= 1;
    return String((digit.codePointAt(0) as number) - zero);
  });
