import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallWay } from '../contract/call-ways.ts';
import { automaticHeaders, type EmailMessage, type EmailSender } from '../outbox/compose.ts';
import type { Call, CallProvider } from '../phone-calls/provider.ts';
import { orderedId } from '../store/database.ts';

/** An email in the development inbox. */
export interface InboxMessage {
  readonly id: string;
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
  readonly at: string;
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

/** Items of one kind in a folder, each in a JSON file that only its owner can read. */
interface KeptFiles<Thing extends { readonly id: string }> {
  add(thing: Thing): Promise<void>;
  /** Newest first. */
  ids(): Promise<string[]>;
  /** Newest first. */
  list(): Promise<Thing[]>;
  read(id: string): Promise<Thing | undefined>;
}

/** Emails, and separately calls. */
export interface Inbox extends KeptFiles<InboxMessage> {
  readonly calls: KeptFiles<InboxCall>;
}

const mailsKept = 200;
const callsKept = 50;

export function openInbox(dataDir: string): Inbox {
  const folder = join(dataDir, 'inbox');
  return { ...openKeptFiles<InboxMessage>(folder, mailsKept), calls: openKeptFiles(join(folder, 'calls'), callsKept) };
}

/** Identifies what has arrived: the newest email and call, and whether the developer has called. */
export async function stateOf({ ids, calls }: Inbox): Promise<string> {
  const [[mail], [call]] = await Promise.all([ids(), calls.ids()]);
  return [mail, call, call && (await calls.read(call))?.called].join('.');
}

/** Ids are UUIDs, so that an id can never name another file. */
const fileName = /^([\da-f-]{36})\.json$/;

/** Opens a folder for items whose ids begin with their time (`orderedId`), and keeps the newest `kept` of them. */
function openKeptFiles<Thing extends { readonly id: string }>(folder: string, kept: number): KeptFiles<Thing> {
  const fileOf = (id: string) => join(folder, `${id}.json`);

  const ids = async (): Promise<string[]> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    return names
      .flatMap((name) => fileName.exec(name)?.[1] ?? [])
      .sort()
      .reverse();
  };

  const read = async (id: string): Promise<Thing | undefined> => {
    if (!fileName.test(`${id}.json`)) return undefined;
    const content = await readFile(fileOf(id), 'utf8').catch(() => undefined);
    return content === undefined ? undefined : (JSON.parse(content) as Thing);
  };

  return {
    async add(thing) {
      const others = (await ids()).filter((id) => id !== thing.id);
      // Written to a temporary file and renamed, so that a reader never sees a partial item.
      const aside = join(folder, `${thing.id}.part`);
      await writeFile(aside, JSON.stringify(thing, null, 2), { mode: 0o600 });
      await rename(aside, fileOf(thing.id));
      for (const id of others.slice(kept - 1)) await rm(fileOf(id), { force: true });
    },
    ids,
    list: async () => (await Promise.all((await ids()).map(read))).filter((thing) => thing !== undefined),
    read,
  };
}

/** Replaces the mail server on a developer's machine. */
export const developmentInboxSender = (inbox: Inbox): EmailSender => ({
  async send(mail) {
    await inbox.add(asInboxMessage(mail));
    return undefined;
  },
  takes: async () => true,
  check: async () => 'emails arrive in the development inbox',
  close: async () => undefined,
});

function asInboxMessage(mail: EmailMessage): InboxMessage {
  const { id, to, subject, text, html, date } = mail;
  const from = `${mail.from.name} <${mail.from.address}>`;
  return { id, at: date.toISOString(), from, to, subject, text, html, headers: automaticHeaders(mail) };
}

/** Numbers reserved for fiction: 555 in Washington. */
const callerOf = (code: string): string => `+1 202 555 ${code}`;
const speaker = callerOf('0100');
const answeringMachine = callerOf('0199');

/**
 * Replaces providers on a developer's machine: calls and messages, and the code in them, appear only on the phone of
 * `/dev/inbox/`.
 */
export function developmentPhone({ calls }: Pick<Inbox, 'calls'>, now: () => number = Date.now) {
  async function show({ phone }: Call, heard: Pick<InboxCall, 'from' | 'way' | 'spoken'>): Promise<string> {
    const id = orderedId();
    await calls.add({ id, at: new Date(now()).toISOString(), to: phone, ...heard });
    return id;
  }
  async function bring(call: Call, heard: Pick<InboxCall, 'from' | 'way' | 'spoken'>) {
    await show(call, heard);
    return { kind: 'ours' } as const;
  }
  return {
    name: 'development',
    place: (call) => bring(call, { from: callerOf(call.code), way: 'ring' }),
    // The digits one by one, as a voice says them.
    speak: (call) =>
      bring(call, {
        from: speaker,
        way: 'voice',
        spoken: `${call.introduction ?? ''} ${[...call.code].join(' ')}`.trim(),
      }),
    ask: ({ words, answerUrl, ...call }) =>
      bring({ ...call, code: '', ip: '' }, { from: speaker, way: 'voice', spoken: `${words} ${answerUrl}?Digits=1` }),
    sendsOwnWords: true,
    text: (call) => bring(call, { from: speaker, way: 'sms', spoken: call.message ?? call.code }),
    whatsapp: (call) => bring(call, { from: 'WhatsApp', way: 'whatsapp', spoken: call.code }),
    telegram: (call) => bring(call, { from: 'Telegram', way: 'telegram', spoken: call.code }),
    async await(call) {
      const reference = await show(call, { from: answeringMachine, way: 'reverse' });
      return { kind: 'awaited', number: answeringMachine.replaceAll(' ', ''), reference };
    },
    async arrived({ reference }) {
      const call = await calls.read(reference);
      if (!call) return 'expired';
      return call.called ? 'confirmed' : 'waiting';
    },
    readStatus: async () => ({ warning: 'calls and messages arrive only in the development inbox' }),
  } satisfies CallProvider;
}
