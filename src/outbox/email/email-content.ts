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
  /** Returns a message from the catalog, with its values isolated from the sentence's direction (`isolate.ts`). */
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
