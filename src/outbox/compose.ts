import type { I18n } from '@lingui/core';
import { type LanguageCode, languageOf } from '../contract/languages.ts';
import type { OutboxTable } from '../store/emails/outbox.ts';
import { dateTimeIn } from './email/date-time.ts';
import type { EmailContent, EmailContext, FramedEmailContent, Product } from './email/email-content.ts';
import { htmlPart } from './email/html-part.ts';
import { asSubject, isolate, isolateLeftToRight } from './email/isolate.ts';
import { textPart } from './email/text-part.ts';
import type { EmailText } from './email-message.ts';
import { isNoticeName, notices } from './notices.ts';

type Row = Pick<OutboxTable, 'notice' | 'params' | 'locale' | 'recipient'>;

interface ComposeOptions {
  readonly product: Product;
  readonly catalog: (language: LanguageCode) => Promise<I18n>;
}

/** Writes the text of a letter in its recipient's language. */
export async function compose(row: Row, { product, catalog }: ComposeOptions): Promise<EmailText> {
  const { name = '', zone, ...params } = JSON.parse(row.params) as { name?: string; zone?: string };
  const language = { ...languageOf(row.locale), code: row.locale };
  const texts = await catalog(row.locale);
  const say: EmailContext['say'] = (id, values = {}) => texts._(id, isolateAll(values));
  const message = write(
    row.notice,
    { product, language, recipient: row.recipient, say, dateTime: dateTimeIn(language.tag, zone) },
    params,
  );
  const whole: FramedEmailContent = {
    ...message,
    language,
    productName: product.name,
    greeting: say('mail.hello', { name: greetedAs(name, row.recipient) }),
    linkAsText: say('mail.link_as_text'),
    footer: [
      say('mail.automatic', { email: row.recipient, product: product.name }),
      ...(product.supportEmail ? [say('mail.support', { support: product.supportEmail })] : []),
    ],
    documents: [
      ...(product.privacyUrl ? [{ text: say('mail.privacy'), link: product.privacyUrl }] : []),
      ...(product.termsUrl ? [{ text: say('mail.terms'), link: product.termsUrl }] : []),
    ],
  };
  return {
    language: language.tag,
    subject: asSubject(message.subject, language.dir),
    text: textPart(whole),
    html: htmlPart(whole),
  };
}

function write(notice: string, writing: EmailContext, params: object): EmailContent {
  if (!isNoticeName(notice)) throw new Error(`There is no notice "${notice}" in this build`);
  // The row was written by `post`, whose types bind a notice to its parameters.
  return (notices[notice] as (writing: EmailContext, params: object) => EmailContent)(writing, params);
}

const isolateAll = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.includes('@') ? isolateLeftToRight(value) : isolate(value),
    ]),
  );

const longestGreeting = 60;
/** What a mail program would turn into a link or an address. */
const linkLike = /[/\\@:]|www\.|\.\p{L}[\p{L}\p{M}]/u;
/** Digits of a name; a telephone number has more. */
const mostDigits = 4;

/**
 * Anyone may register a stranger's address under any name, so a name that could lead somewhere
 * ("Prize at evil.example") is not repeated in a mail of ours; the address greets instead, as it does where no name is known.
 */
export const greetedAs = (name: string, email: string): string =>
  name === '' || name.length > longestGreeting || leadsSomewhere(narrow(name)) ? email : name;

const leadsSomewhere = (name: string): boolean =>
  linkLike.test(name) || (name.match(/\p{Nd}/gu)?.length ?? 0) > mostDigits;

/** Wide, ideographic and unseen characters as a name server takes them (UTS #46). */
const narrow = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{DI}/gu, '')
    .replaceAll('。', '.');
