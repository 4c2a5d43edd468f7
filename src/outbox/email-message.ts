import { SettingsError } from '../contract/settings-error.ts';
import { readMailbox } from './domains/mailbox.ts';

/** What a notice became. */
export interface EmailText {
  /** BCP 47 tag. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A whole mail, the same for every sender. */
export interface EmailMessage extends EmailText {
  /** The outbox's id of it. */
  readonly id: string;
  /** RFC 5322 Message-ID with its angle brackets, the same at every attempt. */
  readonly messageId: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  /** Where a mail server reports what it could not deliver (RFC 5321, section 4.4). */
  readonly returnPath: string;
  readonly replyTo: string | undefined;
  readonly date: Date;
}

/** What carries a mail away. */
export interface EmailSender {
  /**
   * Resolves once somebody else is responsible for the mail (RFC 5321, section 6.1). Throws `Undeliverable`, `SendingBlocked` or
   * `TryLater` for a response to this very mail, `Unacknowledged` where there is none after the whole of it, and anything else
   * where the server took nothing.
   */
  send(mail: EmailMessage): Promise<void>;
  /** Whether mails can go to such an address at all; may have to ask, and throws when nobody answers. */
  takes(address: string): Promise<boolean>;
  /** Tries the way, as far as to the recipient where one is named, without sending anything. Says what it found, and throws when no mail would get through. */
  examine(way: { readonly from: string; readonly to?: string | undefined }): Promise<string>;
  /** Breaks off what is being sent. */
  close(): Promise<void>;
}

/** Trying again would change nothing. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}

/** Nobody is there, as whoever is responsible for the address says. */
export class NoSuchAddress extends Undeliverable {}

/** Trying again soon would change nothing: somebody has to mend something first. */
export class SendingBlocked extends Error {
  override readonly name = 'Refused';
}

/** The server wants this mail later. */
export class TryLater extends Error {
  override readonly name = 'NotYet';
}

/** The server had the whole mail and said nothing about it: it may have it, and every further attempt may be a further copy. */
export class Unacknowledged extends Error {
  override readonly name = 'Unacknowledged';
}

/** Headers for machines: those that keep them from answering are RFC 3834's and Exchange's own. */
export const automaticHeaders = (mail: EmailMessage) => ({
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
  'Content-Language': mail.language,
  // Else programs gather mails with the same subject into one conversation, and hide the newest link in it.
  'X-Entity-Ref-ID': mail.id,
});

/** Reads the setting `MAIL_FROM`: `Name <address>`, or an address alone, which then gets the product's name. */
export function readMailFrom(setting: string, productName: string): EmailMessage['from'] {
  const from = readMailbox(setting);
  if (!from)
    throw new SettingsError(
      'MAIL_FROM: must be one e-mail address, or Name <address>, with ASCII letters before the @',
    );
  return { name: from.name || productName, address: from.address };
}

interface ReturnSettings {
  readonly MAIL_FROM: string;
  readonly PRODUCT_NAME: string;
  readonly MAIL_RETURN_PATH?: string | undefined;
  readonly BOUNCE_ADDRESS?: string | undefined;
}

/** Where mail servers report what they could not deliver, but for what each mail adds to it. */
export const returnPathIn = ({ BOUNCE_ADDRESS, MAIL_RETURN_PATH, MAIL_FROM, PRODUCT_NAME }: ReturnSettings): string =>
  BOUNCE_ADDRESS ?? MAIL_RETURN_PATH ?? readMailFrom(MAIL_FROM, PRODUCT_NAME).address;
