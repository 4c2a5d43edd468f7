/** What writers of a language would correct in what `Intl` gives. */
const mended: Readonly<Record<string, readonly [found: RegExp, written: string]>> = {
  // The first of a month is an ordinal number.
  fr: [/^1 /, '1er '],
  'pt-BR': [/^1 /, '1º '],
  // "At" precedes the time.
  pl: [/(\d{4}) (?=\d)/, '$1 o\u00a0'],
  // The time zone precedes the time.
  'zh-Hans': [/ UTC (.+)$/, ' $1（UTC）'],
};

/** Writes a moment, in ms since the epoch, in a language (BCP 47): Gregorian, in Latin digits and in UTC, whatever it would choose itself. */
export function dateTimeIn(tag: string): (at: number) => string {
  const format = new Intl.DateTimeFormat(`${tag}-u-ca-gregory-nu-latn`, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
  const [found, written] = mended[tag] ?? [/$^/, ''];
  return (at) => format.format(at).replace(found, written);
}
