const longest = 60;
/** Text that an email client would turn into a link or an address. */
const linkLike = /[/\\@:]|www\.|\.\p{L}[\p{L}\p{M}]/u;
/** Digits that a person's name may have; a phone number has more. */
const digitsOfNames = 4;

/**
 * Whether an email may repeat a name that its reader may not have chosen: it must not lead anywhere ("Prize at
 * evil.example").
 */
export function isHarmlessName(name: string, mostDigits = digitsOfNames): boolean {
  if (name === '' || name.length > longest) return false;
  const read = narrow(name);
  return !linkLike.test(read) && (read.match(/\p{Nd}/gu)?.length ?? 0) <= mostDigits;
}

/** Maps wide, ideographic and invisible characters as a name server does (UTS #46). */
const narrow = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{DI}/gu, '')
    .replaceAll('。', '.');
