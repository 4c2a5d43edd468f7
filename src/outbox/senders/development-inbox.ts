import { EventEmitter } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { automaticHeaders, type Mail, type MailSender } from '../mail.ts';

/** A mail as the development inbox keeps and shows it. */
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

export interface Inbox {
  add(message: InboxMessage): Promise<void>;
  /** The newest first. */
  list(): Promise<InboxMessage[]>;
  read(id: string): Promise<InboxMessage | undefined>;
  /** Tells of each mail as it comes; returns how to end that. */
  listen(listener: (message: InboxMessage) => void): () => void;
}

const kept = 200;
/** Ids are UUIDs, so a file's name is never anything but one. */
const fileName = /^([\da-f-]{36})\.json$/;

/** Opens the inbox in the data folder: each mail is a file that only its owner may read, the newest 200 are kept. */
export function openInbox(dataDir: string): Inbox {
  const folder = join(dataDir, 'inbox');
  const fileOf = (id: string) => join(folder, `${id}.json`);
  const arrivals = new EventEmitter().setMaxListeners(0);

  const ids = async (): Promise<string[]> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    // Ids begin with their time, so names sort by it.
    return names
      .flatMap((name) => fileName.exec(name)?.[1] ?? [])
      .sort()
      .reverse();
  };

  const read = async (id: string): Promise<InboxMessage | undefined> => {
    if (!fileName.test(`${id}.json`)) return undefined;
    const content = await readFile(fileOf(id), 'utf8').catch(() => undefined);
    return content === undefined ? undefined : (JSON.parse(content) as InboxMessage);
  };

  return {
    async add(message) {
      const others = (await ids()).filter((id) => id !== message.id);
      // Written aside and renamed: whoever reads sees a whole mail or none.
      const aside = join(folder, `${message.id}.part`);
      await writeFile(aside, JSON.stringify(message, null, 2), { mode: 0o600 });
      await rename(aside, fileOf(message.id));
      for (const id of others.slice(kept - 1)) await rm(fileOf(id), { force: true });
      arrivals.emit('mail', message);
    },
    async list() {
      const messages = await Promise.all((await ids()).map(read));
      return messages.filter((message) => message !== undefined);
    },
    read,
    listen(listener) {
      arrivals.on('mail', listener);
      return () => arrivals.off('mail', listener);
    },
  };
}

/** Instead of a mail server on a developer's machine. */
export const developmentInboxSender = (inbox: Inbox): MailSender => ({
  send: (mail) => inbox.add(asInboxMessage(mail)),
  close: async () => undefined,
});

function asInboxMessage(mail: Mail): InboxMessage {
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
