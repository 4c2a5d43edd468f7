import { unknownBrowser } from '../../contract/activity.ts';
import { type Language, type LanguageCode, pathIn } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';

/** The product that sends the emails, from the operator's settings. */
export interface Product {
  readonly name: string;
  /** Origin of links, without a trailing slash. */
  readonly publicUrl: string;
  /** Address for questions, and the Reply-To of all emails. */
  readonly supportEmail: string | undefined;
  readonly privacyUrl?: string | undefined;
  readonly termsUrl?: string | undefined;
}

/** The operator's settings that every email shows. */
export interface ProductSettings {
  readonly PRODUCT_NAME: string;
  readonly PUBLIC_URL: string;
  readonly SUPPORT_EMAIL?: string | undefined;
  readonly PRIVACY_URL?: string | undefined;
  readonly TERMS_URL?: string | undefined;
}

export const productOf = (settings: ProductSettings): Product => ({
  name: settings.PRODUCT_NAME,
  publicUrl: settings.PUBLIC_URL,
  supportEmail: settings.SUPPORT_EMAIL,
  privacyUrl: settings.PRIVACY_URL,
  termsUrl: settings.TERMS_URL,
});

/** Context for the text of a notice. */
export interface EmailContext {
  readonly product: Product;
  readonly language: Language & { readonly code: LanguageCode };
  /** The address that the email goes to. */
  readonly recipient: string;
  /** Returns a message from the catalog, with its values isolated from the sentence's direction. */
  readonly say: (id: MessageId & `mail.${string}`, values?: Readonly<Record<string, string>>) => string;
  /** Formats a time (ms since the epoch) in UTC, or in the reader's time zone followed by UTC. */
  readonly dateTime: (at: number) => string;
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** Short lines that belong together, such as what, where and when. */
  | { readonly kind: 'details'; readonly lines: readonly string[] }
  /** A code to type elsewhere, on its own line. */
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'button'; readonly text: string; readonly link: string }
  /** A second action, which few readers need. */
  | { readonly kind: 'link'; readonly text: string; readonly link: string };

/** The text of one notice, between the greeting and the footer of every email. */
export interface EmailContent {
  readonly subject: string;
  readonly body: readonly Block[];
  /** An id that it shares with the other emails of its thread. */
  readonly thread?: string;
}

/** The content with everything around it, ready for the parts of an email. */
export interface FramedEmailContent extends EmailContent {
  readonly language: Language;
  readonly productName: string;
  readonly greeting: string;
  /** Label above a link that is written in full. */
  readonly linkAsText: string;
  readonly footer: readonly string[];
  /** The operator's documents, after the footer. */
  readonly documents: readonly { readonly text: string; readonly link: string }[];
}

/** URL where the recipient sets a new password; their address is filled in. */
export const recoveryAddress = ({ product, language, recipient }: EmailContext): string =>
  `${product.publicUrl}${pathIn(language.code, '/recovery/')}?email=${encodeURIComponent(recipient)}`;

export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const details = (lines: readonly string[]): Block => ({ kind: 'details', lines });
export const code = (digits: string): Block => ({ kind: 'code', code: digits });
export const textLink = (text: string, link: string): Block => ({ kind: 'link', text, link });
export const button = (text: string, link: string): Block => ({ kind: 'button', text, link });

const longest = 60;
/** Text that an email client would turn into a link or an address. */
const linkLike = /[/\\@:]|www\.|\.\p{L}[\p{L}\p{M}]/u;
/** Digits that a person's name may have; a phone number has more. */
const digitsOfNames = 4;

/**
 * Whether an email may repeat a name that its reader may not have chosen: it must not lead anywhere ("Prize at
 * evil.example").
 */
export function isHarmlessName(name: string, maxDigits = digitsOfNames): boolean {
  if (name === '' || name.length > longest) return false;
  const read = narrow(name);
  return !linkLike.test(read) && (read.match(/\p{Nd}/gu)?.length ?? 0) <= maxDigits;
}

/** Maps wide, ideographic and invisible characters as a name server does (UTS #46). */
const narrow = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{DI}/gu, '')
    .replaceAll('。', '.');

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

/** Where a request came from. */
export interface RequestOrigin {
  /** A name of our own, such as "Firefox, Windows": a User-Agent could contain anything. */
  readonly device: string;
  readonly ip: string;
  /** In the email's language; undefined if unknown. */
  readonly place?: string | undefined;
  readonly when: number;
}

/** `when`: undefined if the email already gives the time. */
type ShownOrigin = Omit<RequestOrigin, 'when'> & { readonly when: number | undefined };

/** Shows owners where a request came from, so that they can tell whether it was theirs. */
export const requestOriginDetails = ({ say, dateTime }: EmailContext, { device, ip, place, when }: ShownOrigin) =>
  details([
    device === unknownBrowser ? say('mail.detail.device_unknown') : say('mail.detail.device', { device }),
    say('mail.detail.address', { ip }),
    ...(place === undefined ? [] : [say('mail.detail.place', { place })]),
    ...(when === undefined ? [] : [say('mail.detail.when', { when: dateTime(when) })]),
  ]);

/** Corrections to the output of `Intl` that writers of a language would make. */
const corrections: Readonly<Record<string, readonly [found: RegExp, written: string]>> = {
  // French and Portuguese write the first of a month as an ordinal.
  fr: [/^1 /, '1er '],
  'pt-BR': [/^1 /, '1º '],
  // Polish has "at" before the time.
  pl: [/(\d{4}) (?=\d)/, '$1 o\u00a0'],
  // “2026 г.” is one word in Russian and Ukrainian.
  ru: [/ (?=г\.)/, '\u00a0'],
  uk: [/ (?=р\.)/, '\u00a0'],
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

/** The text part: each paragraph is one line, which the email client wraps, and each link has its own line. */
export function textPart({ language, greeting, body, footer, documents }: FramedEmailContent): string {
  const line = (text: string) => asPlainText(text, language.dir);
  const block = (part: Block) => {
    if (part.kind === 'code') return part.code;
    if (part.kind === 'details') return part.lines.map(line).join('\n');
    return part.kind === 'paragraph' ? line(part.text) : `${line(part.text)}\n${part.link}`;
  };
  const end = [...footer.map(line), ...documents.map(({ text, link }) => `${line(text)}: ${link}`)].join('\n');
  // "-- " on its own line begins a signature (RFC 3676, section 4.3), which email clients set apart.
  return `${[line(greeting), ...body.map(block), `-- \n${end}`].join('\n\n')}\n`;
}

type Text = MessageId & `mail.${string}`;

/** The parameters that the texts of a plain notice may use. */
interface PlainParams {
  readonly when?: number;
  /** The address of its button. */
  readonly link?: string;
  /** An address other than the recipient's. */
  readonly email?: string;
  /** The last two digits of a phone number: enough for owners to recognize their own. */
  readonly digits?: string;
}

/** The page that sets a new password, or another page of ours. */
type Page = 'recovery' | '/' | '/dashboard/' | '/computers/add/' | '/account/security/';

interface PlainButton<Opens> {
  readonly button: Text;
  readonly opens: Opens;
}

interface PlainNotice {
  readonly subject: Text;
  /** Paragraphs, and a button among them. */
  readonly body: readonly (Text | PlainButton<'link' | Page>)[];
}

/** A notice without logic of its own: its subject, its paragraphs and its button. */
export const plainNotice =
  <Params extends PlainParams = object>({ subject, body }: PlainNotice) =>
  (context: EmailContext, params: Params): EmailContent => {
    const { say, product, recipient, dateTime } = context;
    const { when, email = recipient, digits = '', link = '' }: PlainParams = params;
    const values = { product: product.name, email, digits, when: when === undefined ? '' : dateTime(when) };
    return {
      subject: say(subject, values),
      body: body.map((part) => {
        if (typeof part === 'string') return paragraph(say(part, values));
        const { opens } = part;
        return opens === 'link' ? button(say(part.button), link) : pageButton(context, { ...part, opens });
      }),
    };
  };

/** A button that opens a page of ours in the reader's language. */
export const pageButton = (context: EmailContext, { button: text, opens }: PlainButton<Page>): Block => {
  const { say, product, language } = context;
  const page = opens === 'recovery' ? recoveryAddress(context) : `${product.publicUrl}${pathIn(language.code, opens)}`;
  return button(say(text), page);
};
