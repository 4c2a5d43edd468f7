import addressparser from 'nodemailer/lib/addressparser';
import { SettingsError } from '../contract/settings-error.ts';

/** What a notice became. */
export interface MailText {
  /** BCP 47 tag. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A whole mail, the same for every sender. */
export interface Mail extends MailText {
  /** The outbox's id of it. */
  readonly id: string;
  /** RFC 5322 Message-ID with its angle brackets, the same at every attempt. */
  readonly messageId: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly replyTo: string | undefined;
  readonly date: Date;
}

/** What carries a mail away. */
export interface MailSender {
  /** Resolves when somebody else is responsible for the mail (RFC 5321, section 6.1); throws `Undeliverable` when nobody ever will be. */
  send(mail: Mail): Promise<void>;
  /** Tries the way without sending anything; says what it found, and throws when no mail would get through. */
  examine(): Promise<string>;
  close(): Promise<void>;
}

/** Trying again would change nothing. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}

/** Headers that keep machines from answering: RFC 3834, and Exchange's own. */
export const automaticHeaders = (mail: Mail) => ({
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
  'Content-Language': mail.language,
});

/** Reads the setting `MAIL_FROM`: an address, which the product's name then stands before, or `Name <address>` (RFC 5322, section 3.4). */
export function readMailFrom(setting: string, productName: string): Mail['from'] {
  const [first, ...others] = addressparser(setting, { flatten: true });
  if (!first || others.length > 0 || !/^[^\s@]+@[^\s@]+$/.test(first.address)) {
    throw new SettingsError('MAIL_FROM: must be one e-mail address, or Name <address>');
  }
  return { name: first.name || productName, address: first.address };
}
