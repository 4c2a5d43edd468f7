import { join } from 'node:path';
import type { CallWay } from '../contract/call-ways.ts';
import { automaticHeaders, type EmailMessage, type EmailSender } from '../outbox/email-message.ts';
import { type KeptFiles, openKeptFiles } from './kept-files.ts';

/** An email in the development inbox. */
export interface InboxMessage {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A call or message on the development phone. */
export interface InboxCall {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** E.164. */
  readonly to: string;
  /**
   * The formatted caller; the last four digits of a flash call are the code. For a reverse call, the number to call.
   */
  readonly from: string;
  readonly way: CallWay;
  /** The text of a voice call or a message. */
  readonly spoken?: string;
  /** The developer has called. */
  readonly called?: boolean;
}

/** Emails, and separately calls. */
export interface Inbox extends KeptFiles<InboxMessage> {
  readonly calls: KeptFiles<InboxCall>;
}

const mailsKept = 200;
const callsKept = 50;

/** Opens the inbox in the data folder. */
export function openInbox(dataDir: string): Inbox {
  const folder = join(dataDir, 'inbox');
  return {
    ...openKeptFiles<InboxMessage>(folder, mailsKept),
    calls: openKeptFiles<InboxCall>(join(folder, 'calls'), callsKept),
  };
}

/** Replaces the mail server on a developer's machine. */
export const developmentInboxSender = (inbox: Inbox): EmailSender => ({
  async send(mail) {
    await inbox.add(asInboxMessage(mail));
    return undefined;
  },
  takes: async () => true,
  examine: async () => 'emails arrive in the development inbox',
  close: async () => undefined,
});

function asInboxMessage(mail: EmailMessage): InboxMessage {
  const from = `${mail.from.name} <${mail.from.address}>`;
  return {
    id: mail.id,
    at: mail.date.toISOString(),
    from,
    to: mail.to,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: {
      From: from,
      To: mail.to,
      ...(mail.replyTo && { 'Reply-To': mail.replyTo }),
      Subject: mail.subject,
      Date: mail.date.toUTCString(),
      'Message-ID': mail.messageId,
      ...automaticHeaders(mail),
    },
  };
}
