import type { I18n } from '@lingui/core';
import { knownLanguage, type LanguageCode, languageOf, localeOf } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import type { OutboxTable } from '../store/emails/outbox.ts';
import {
  asSubject,
  dateTimeIn,
  type EmailContent,
  type EmailContext,
  type FramedEmailContent,
  isHarmlessName,
  isolate,
  isolateLeftToRight,
  type Product,
  textPart,
} from './email/email-content.ts';
import { htmlPart } from './email/html-part.ts';
import { isNoticeName, noticeNamed } from './notices.ts';

type Row = Pick<OutboxTable, 'notice' | 'params' | 'locale' | 'recipient'>;

interface ComposeOptions {
  readonly product: Product;
  readonly catalog: (language: LanguageCode) => Promise<I18n>;
}

/** Composes an email in its recipient's language. Throws for a notice that this build does not have. */
export async function compose(row: Row, { product, catalog }: ComposeOptions): Promise<EmailText> {
  const { name = '', zone, ...params } = JSON.parse(row.params) as { name?: string; zone?: string };
  const { language, say, dateTime } = await wordsIn({ locale: row.locale, zone }, catalog);
  const message = write(row.notice, { product, language, recipient: row.recipient, say, dateTime }, params);
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
    thread: message.thread,
  };
}

interface Reader {
  readonly locale: string;
  /** Time zone (IANA). */
  readonly zone?: string | undefined;
}

const catalogs = openCatalogs();

/** The words of a message, and times in it, for its reader. */
export async function wordsIn({ locale, zone }: Reader, catalog: ComposeOptions['catalog'] = catalogs) {
  const code = knownLanguage(locale);
  const language = { ...languageOf(code), code };
  const texts = await catalog(code);
  const say: EmailContext['say'] = (id, values = {}) => texts._(id, isolateAll(values));
  return { language, say, dateTime: dateTimeIn(localeOf(code), zone) };
}

function write(notice: string, writing: EmailContext, params: object): EmailContent {
  if (!isNoticeName(notice)) throw new Error(`This build has no notice "${notice}"`);
  return noticeNamed(notice).text(writing, params);
}

const isolateAll = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.includes('@') ? isolateLeftToRight(value) : isolate(value),
    ]),
  );

/**
 * Anyone may register a stranger's address under any name. If the name could lead somewhere, the greeting uses the
 * address, as it does without a name.
 */
export const greetedAs = (name: string, email: string): string => (isHarmlessName(name) ? name : email);

export interface EmailText {
  /** BCP 47 tag. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** An id that it shares with the other emails of its thread. */
  readonly thread?: string | undefined;
}

/** A complete email, in the form that every sender takes. */
export interface EmailMessage extends EmailText {
  /** Its id in the outbox. */
  readonly id: string;
  /** RFC 5322 Message-ID with its angle brackets, the same at every attempt. */
  readonly messageId: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  /** Address to which mail servers report failed deliveries (RFC 5321, section 4.4). */
  readonly returnPath: string;
  readonly replyTo: string | undefined;
  readonly date: Date;
}

export interface EmailSender {
  /**
   * Resolves once another server is responsible for the email (RFC 5321, section 6.1), to that server's response, in
   * which operators of the server recognize the email. Throws `Undeliverable`,
   * `SendingBlocked` or `TryLater` for a response to this very email, `Unacknowledged` if there is none after the
   * complete email, and any other error if the server accepted nothing.
   */
  send(mail: EmailMessage): Promise<string | undefined>;
  /** Whether emails can reach such an address. May query the mail server; throws if it does not respond. */
  takes(address: string): Promise<boolean>;
  /**
   * Tests delivery without sending anything, up to the recipient if one is given. Returns a description; throws if
   * emails would not get through.
   */
  check(way: { readonly from: string; readonly to?: string | undefined }): Promise<string>;
  /** Aborts sends in progress. */
  close(): Promise<void>;
}

/** A retry would fail again. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}

/** The recipient does not exist, according to the server that is responsible for the address. */
export class NoSuchAddress extends Undeliverable {}

/** A quick retry would fail again: someone has to fix the cause first. */
export class SendingBlocked extends Error {
  override readonly name = 'Refused';
}

/** The server asks for a later retry of this email. */
export class TryLater extends Error {
  override readonly name = 'NotYet';
}

/** The server received the whole email and did not respond: it may have stored it, and each retry may add a copy. */
export class Unacknowledged extends Error {
  override readonly name = 'Unacknowledged';
}

/** Headers for machines. The first two prevent automatic replies (RFC 3834, and Exchange's own header). */
export const automaticHeaders = (mail: EmailMessage) => ({
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
  'Content-Language': mail.language,
  // Otherwise email clients group emails with the same subject and hide the newest link.
  'X-Entity-Ref-ID': mail.thread ?? mail.id,
  // RFC 5322, section 3.6.4: all refer to one that was never sent, so the order of their arrival does not matter.
  ...(mail.thread && { References: threadOf(mail, mail.thread), 'In-Reply-To': threadOf(mail, mail.thread) }),
});

const threadOf = ({ messageId }: EmailMessage, thread: string) =>
  `<${thread}${messageId.slice(messageId.lastIndexOf('@'))}`;

/** Mail servers repeat addresses in their responses; logs must not contain full email addresses. */
export const redactAddresses = (text: string): string => text.replace(/[^\s<>"'()@]+@[^\s<>"'()@]+/g, '…');
