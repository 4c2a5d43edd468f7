import * as z from 'zod/mini';
import type { ConfirmationWay } from './call-ways.ts';
import type { LanguageCode } from './languages.ts';

/** The operator's settings that pages need. The payload of each page contains them, so none may be secret. */
export interface PageSettings {
  readonly productName: string;
  /** Origin of links, without a trailing slash. */
  readonly publicUrl: string;
  readonly supportEmail: string | undefined;
  /** URLs of the privacy policy, and of the terms that owners agree to. */
  readonly privacyUrl: string | undefined;
  readonly termsUrl: string | undefined;
  readonly passwordMinLength: number;
  readonly phoneConfirmation: 'required' | 'optional' | 'off';
  /** Methods to confirm a phone number in the page's language, in the operator's order. */
  readonly phoneWays: readonly ConfirmationWay[];
  /** Whether there are pages for computers and smartphones. */
  readonly devices: boolean;
  /** URL of the operator's app for smartphones. Without one, their browsers report. */
  readonly smartphoneApp: string | undefined;
  /** Whether an emailed code may replace the password. */
  readonly mailCode: boolean;
  /** Whether passkeys can sign in, and whether an authenticator app can be set up. */
  readonly passkeys: boolean;
  readonly secondStep: boolean;
  /** Whether there are any redirect rules: without them, the guard sends no request. */
  readonly redirectRules: boolean;
  /** Hours until a second step that was reported as lost is removed. */
  readonly secondStepRemovalHours: number;
  /** Days in which a sign-in cancels the deletion of the account. */
  readonly deletionGraceDays: number;
  /** The development inbox is on: pages show its banner and a link to it. */
  readonly developmentInbox: boolean;
}

/** The settings for pages of all languages. */
export interface SiteSettings extends PageSettings {
  /** Languages in which a call can speak the digits. */
  readonly phoneVoice: readonly LanguageCode[];
  /** Sentences of the operator instead of those of the catalogs. */
  readonly ownTexts: Readonly<Partial<Record<MessageWithOwnText, TextByLanguage | undefined>>>;
}

type MessageWithOwnText = 'register.lead' | 'register.description' | 'sign_in.panel';
/** Of a language without one, pages keep the text of the catalog. */
export type TextByLanguage = Readonly<Partial<Record<LanguageCode, string>>>;

/** Unusable settings: each line names a setting and says what it must be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    super([...new Set([problems].flat())].join('\n'), options);
  }
}

/** Runs all readers, and returns the lines of every `SettingsError` that they throw. */
export function settingProblems(...readers: readonly (() => unknown)[]): string[] {
  return readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return error.message.split('\n');
    }
  });
}

/** The text of a setting. `says` tells operators its form. */
export const textLike = (form: RegExp | ((text: string) => boolean), says: string) =>
  z.string().check(z.refine((text) => (form instanceof RegExp ? form.test(text) : form(text)), says));

/** What `read` makes of the text of a setting; undefined if it has another form than `says` tells operators. */
export const readLike = <Value>(read: (text: string) => Value | undefined, says: string) =>
  z.pipe(
    z.string(),
    z.transform((text, { issues }): Value => {
      const value = read(text);
      if (value !== undefined) return value;
      issues.push({ code: 'custom', input: text, message: says });
      return z.NEVER;
    }),
  );

/** Several values, separated by commas. */
export const listOf = <Item extends z.ZodMiniType<unknown, string>>(item: Item) =>
  z.pipe(
    z.pipe(
      z.string().check(z.minLength(1)),
      z.transform((text) =>
        text
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean),
      ),
    ),
    z.array(item),
  );

/** Pairs of a name and a value by their name, such as `DE:1,FR:2`; each is one that `read` accepts. */
export const pairsLike = <Value>(read: (text: string) => readonly [string, Value] | undefined, says: string) =>
  readLike((text): Readonly<Record<string, Value>> | undefined => {
    const pairs = text.split(',').flatMap((one) => [read(one.trim())]);
    return pairs.includes(undefined) ? undefined : Object.fromEntries(pairs as [string, Value][]);
  }, says);
