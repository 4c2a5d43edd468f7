import type { I18n } from '@lingui/core';
import { knownLanguage, type LanguageCode, languageOf, localeOf } from '../contract/languages.ts';
import type { OutboxTable } from '../store/emails/outbox.ts';
import { dateTimeIn } from './email/date-time.ts';
import type { EmailContent, EmailContext, FramedEmailContent, Product } from './email/email-content.ts';
import { isHarmlessName } from './email/harmless-name.ts';
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

/** Composes an email in its recipient's language. Throws for a notice that this build does not have. */
export async function compose(row: Row, { product, catalog }: ComposeOptions): Promise<EmailText> {
  const { name = '', zone, ...params } = JSON.parse(row.params) as { name?: string; zone?: string };
  const code = knownLanguage(row.locale);
  const language = { ...languageOf(code), code };
  const texts = await catalog(code);
  const say: EmailContext['say'] = (id, values = {}) => texts._(id, isolateAll(values));
  const message = write(
    row.notice,
    { product, language, recipient: row.recipient, say, dateTime: dateTimeIn(localeOf(code), zone) },
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
  if (!isNoticeName(notice)) throw new Error(`This build has no notice "${notice}"`);
  // `enqueueEmail` wrote the row, and its types bind a notice to its parameters.
  return (notices[notice] as (writing: EmailContext, params: object) => EmailContent)(writing, params);
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
