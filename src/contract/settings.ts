import type { ConfirmationWay } from './call-ways.ts';
import type { LanguageCode } from './languages.ts';

/** The operator's settings that a page needs; they are in each page's payload, so nothing here is a secret. */
export interface PageSettings {
  readonly productName: string;
  /** Origin of links, without a trailing slash. */
  readonly publicUrl: string;
  readonly supportEmail: string | undefined;
  /** Where the operator says how personal data is handled, and what an account's owner agrees to. */
  readonly privacyUrl: string | undefined;
  readonly termsUrl: string | undefined;
  readonly passwordMinLength: number;
  readonly phoneConfirmation: 'required' | 'optional' | 'off';
  /** How a phone can be confirmed in the page's language, in the operator's order. */
  readonly phoneWays: readonly ConfirmationWay[];
  /** Whether a code by mail may take the password's place. */
  readonly mailCode: boolean;
  /** Whether the operator has redirect rules at all: without them the guard has nothing to ask. */
  readonly redirectRules: boolean;
  /** The development inbox is on: shows its banner and the way to it. */
  readonly developmentInbox: boolean;
}

/** The same for the pages of all languages. */
export interface SiteSettings extends PageSettings {
  /** The languages in which a call can speak the digits. */
  readonly phoneVoice: readonly LanguageCode[];
}
