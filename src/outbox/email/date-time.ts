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

/** How UTC stands beside the local time; in Greek the whole is in brackets already. */
const besides: Readonly<Record<string, readonly [before: string, after: string]>> = {
  el: [', ', ''],
  ja: ['（', '）'],
  'zh-Hans': ['（', '）'],
};

/**
 * Writes a moment, in ms since the epoch, in a language (BCP 47): Gregorian, in Latin digits and in UTC, whatever it would choose
 * itself; where the reader's time zone (IANA) is known, as clocks there show it, with UTC beside it.
 */
export function dateTimeIn(tag: string, timeZone?: string): (at: number) => string {
  const locale = `${tag}-u-ca-gregory-nu-latn`;
  const time = { hour: 'numeric', minute: '2-digit' } as const;
  const day = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const utc = new Intl.DateTimeFormat(locale, { ...day, ...time, timeZone: 'UTC', timeZoneName: 'short' });
  const utcTime = new Intl.DateTimeFormat(locale, { ...time, timeZone: 'UTC' });
  const local = timeZone === undefined ? undefined : formatIn(timeZone, locale, { ...day, ...time });
  const plain = new Intl.DateTimeFormat(locale, { ...day, ...time, timeZone: 'UTC' });
  const [found, written] = mended[tag] ?? [/$^/, ''];
  const [before, after] = besides[tag] ?? [' (', ')'];
  return (at) => {
    const here = local?.format(at);
    if (here === undefined || here === plain.format(at)) return utc.format(at).replace(found, written);
    return `${here.replace(found, written)}${before}${utcTime.format(at)} UTC${after}`;
  };
}

/** Undefined for a zone that is none here: a browser may know others. */
function formatIn(
  timeZone: string,
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone });
  } catch {
    return undefined;
  }
}
