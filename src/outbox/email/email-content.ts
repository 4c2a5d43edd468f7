import { type Language, type LanguageCode, pathIn } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';

/** Whose mails these are: settings of the operator. */
export interface Product {
  readonly name: string;
  /** Origin of links, without a trailing slash. */
  readonly publicUrl: string;
  /** Where questions go; also the mails' Reply-To. */
  readonly supportEmail: string | undefined;
  readonly privacyUrl?: string | undefined;
  readonly termsUrl?: string | undefined;
}

/** The operator's settings that every mail shows. */
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

/** What the text of a notice is written with. */
export interface EmailContext {
  readonly product: Product;
  readonly language: Language & { readonly code: LanguageCode };
  /** The address that the mail goes to. */
  readonly recipient: string;
  /** A message of the catalog, its values isolated from the sentence's direction (`isolate.ts`). */
  readonly say: (id: MessageId & `mail.${string}`, values?: Readonly<Record<string, string>>) => string;
  /** A moment as people of the language write it, in UTC, saying so, or in the reader's own time with UTC beside it. */
  readonly dateTime: (at: number) => string;
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** Short lines that belong together, such as what, where and when. */
  | { readonly kind: 'details'; readonly lines: readonly string[] }
  /** Something to type elsewhere, alone on its line. */
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'button'; readonly text: string; readonly link: string };

/** What one notice says, between the greeting and the signature that all have. */
export interface EmailContent {
  readonly subject: string;
  readonly body: readonly Block[];
}

/** A letter with all that goes around it, ready to become the parts of a mail. */
export interface FramedEmailContent extends EmailContent {
  readonly language: Language;
  readonly productName: string;
  readonly greeting: string;
  /** Above a link in full. */
  readonly linkAsText: string;
  readonly footer: readonly string[];
  /** The operator's documents, after the footer. */
  readonly documents: readonly { readonly text: string; readonly link: string }[];
}

/** Where whoever reads the letter sets a new password; the address is typed there already. */
export const recoveryAddress = ({ product, language, recipient }: EmailContext): string =>
  `${product.publicUrl}${pathIn(language.code, '/recovery/')}?email=${encodeURIComponent(recipient)}`;

export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const details = (lines: readonly string[]): Block => ({ kind: 'details', lines });
export const code = (digits: string): Block => ({ kind: 'code', code: digits });
export const button = (text: string, link: string): Block => ({ kind: 'button', text, link });
