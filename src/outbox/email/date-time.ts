/** Corrections to the output of `Intl` that writers of a language would make. */
const corrections: Readonly<Record<string, readonly [found: RegExp, written: string]>> = {
  // French and Portuguese write the first of a month as an ordinal.
  fr: [/^1 /, '1er '],
  'pt-BR': [/^1 /, '1º '],
  // Polish has "at" before the time.
  pl: [/(\d{4}) (?=\d)/, '$1 o\u00a0'],
  // `Intl` puts the time zone before the time.
  'zh-Hans': [/ UTC (.+)$/, ' $1（UTC）'],
};

/** The signs around UTC after the local time. */
const besides: Readonly<Record<string, readonly [before: string, after: string]>> = {
  ja: ['（', '）'],
  'zh-Hans': ['（', '）'],
};

/**
 * Formats a time (ms since the epoch) for a language (BCP 47): Gregorian calendar, Latin digits and UTC. With the
 * reader's time zone (IANA), it shows local time followed by UTC.
 */
export function dateTimeIn(tag: string, timeZone?: string): (at: number) => string {
  const locale = `${tag}-u-ca-gregory-nu-latn`;
  const time = { hour: 'numeric', minute: '2-digit' } as const;
  const day = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const inUtc = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  // Created when they are first used: creating them takes longer than formatting, and many emails show no time.
  const utc = once(() => inUtc({ ...day, ...time, timeZoneName: 'short' }));
  const utcTime = once(() => inUtc(time));
  const local = once(() => (timeZone === undefined ? undefined : formatIn(timeZone, locale, { ...day, ...time })));
  const plain = once(() => inUtc({ ...day, ...time }));
  const [found, written] = corrections[tag] ?? [/$^/, ''];
  const [before, after] = besides[tag] ?? [' (', ')'];
  return (at) => {
    const here = local()?.format(at);
    if (here === undefined || here === plain().format(at)) return utc().format(at).replace(found, written);
    return `${here.replace(found, written)}${before}${utcTime().format(at)} UTC${after}`;
  };
}

/** Calls `make` at the first call only. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Undefined for an unknown time zone: a browser may know more of them. */
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
