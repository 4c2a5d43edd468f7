import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { RequestFailed, sendRequest, toSingleLine } from '../outgoing/send-request.ts';

/** `gone`: the bot can no longer write to the chat. */
export type TelegramOutcome =
  | { readonly state: 'accepted' }
  /** Seconds. */
  | { readonly state: 'later'; readonly said: string; readonly retryAfter: number }
  | { readonly state: 'gone' | 'refused'; readonly said: string }
  /** The group has another id from now on. */
  | { readonly state: 'moved'; readonly chat: number };

export interface TelegramText {
  readonly text: string;
  /** Without a sound. */
  readonly silent: boolean;
}

/** Somebody pressed Start, or wrote `/start` in a group, with the token of a link. */
export interface TelegramStart {
  readonly chat: number;
  /** Of the person or group. */
  readonly name: string;
  readonly token: string;
}

interface TelegramDeps {
  readonly token: string;
  /** Of the Bot API. */
  readonly base: string;
  readonly now: () => number;
}

/** Telegram accepts about 30 messages a second from a bot, and one from it to a chat (its FAQ for bots). */
const spacing = 1000 / 25;
const spacingOfChat = 1000;
/** Seconds, without an answer. */
const retryAfter = 30;
const responseTimeout = 10_000;
const longestBody = 1_000_000;
const longestSaid = 200;
const longestName = 60;
/** Telegram’s own. */
const longestBatch = 100;

const refusal = z.object({
  ok: z.literal(false),
  description: z.string(),
  parameters: z.optional(z.object({ retry_after: z.optional(z.number()), migrate_to_chat_id: z.optional(z.number()) })),
});
const reply = z.union([z.object({ ok: z.literal(true), result: z.unknown() }), refusal]);
const self = z.object({ username: z.string() });
const updates = z.array(z.looseObject({ update_id: z.number() }));
/** Others write to the bot, too: what has another shape is no start. */
const startUpdate = z.object({
  message: z.object({
    text: z.string(),
    chat: z.object({
      id: z.number(),
      title: z.optional(z.string()),
      first_name: z.optional(z.string()),
      last_name: z.optional(z.string()),
    }),
  }),
});

/** Sends messages as the operator's bot (https://core.telegram.org/bots/api), and reads who starts it. */
export function openTelegram({ token, base, now }: TelegramDeps) {
  let username: string | undefined;
  /** The next update that has not been read. */
  let offset = 0;
  /** When the next message may leave, by the process's own clock. */
  let nextSlot = 0;
  /** Until when a chat takes no message, and the bot sends none. */
  const chatPauses = new Map<number, number>();
  let botPause = 0;

  async function ask(method: string, fields: object, signal?: AbortSignal) {
    const stop = AbortSignal.timeout(responseTimeout);
    const { status, body } = await sendRequest({
      url: new URL(`${base}/bot${token}/${method}`),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
      signal: signal ? AbortSignal.any([stop, signal]) : stop,
      longestBody,
    });
    const said = reply.safeParse(parsed(body.toString()));
    if (!said.success) throw new RequestFailed(`HTTP ${status} without a reply of the Bot API`, true);
    return { status, said: said.data };
  }

  async function result<Result extends z.ZodMiniType>(method: string, as: Result, fields: object) {
    const { status, said } = await ask(method, fields);
    if (!said.ok) throw new RequestFailed(toSingleLine(`${status} ${said.description}`).slice(0, longestSaid), false);
    return as.parse(said.result) as z.output<Result>;
  }

  /** One chat that is too busy must not keep the others waiting; two of them mean that the bot is. */
  function pauseFor(chat: number, seconds: number): void {
    const until = now() + seconds * 1000;
    const areOthersPaused = [...chatPauses].some(([other, end]) => other !== chat && end > now() + spacingOfChat);
    chatPauses.set(chat, until);
    if (areOthersPaused) botPause = until;
  }

  return {
    /** Sends a text to a chat. Does not throw. */
    async send(chat: number, { text, silent }: TelegramText, signal?: AbortSignal): Promise<TelegramOutcome> {
      const waits = Math.max(botPause, chatPauses.get(chat) ?? 0) - now();
      // A clock that was set back must not prolong a pause.
      if (waits > 0 && waits <= longestPause)
        return { state: 'later', said: 'the limit of Telegram', retryAfter: Math.ceil(waits / 1000) };
      for (const [other, end] of chatPauses) if (end <= now()) chatPauses.delete(other);
      chatPauses.set(chat, now() + spacingOfChat);
      nextSlot = Math.max(performance.now(), nextSlot + spacing);
      await pause(Math.max(0, nextSlot - performance.now()));
      try {
        const fields = { chat_id: chat, text, disable_notification: silent, link_preview_options: noPreview };
        const { status, said } = await ask('sendMessage', fields, signal);
        const outcome = said.ok ? ({ state: 'accepted' } as const) : outcomeOf(status, said);
        if (outcome.state === 'later' && status === 429) pauseFor(chat, outcome.retryAfter);
        return outcome;
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        return { state: 'later', said: error.message, retryAfter };
      }
    },

    /**
     * The address that opens a chat with the bot and hands it a token, of up to 64 of `A-Z a-z 0-9 _ -`. Undefined if
     * Telegram does not respond.
     */
    async linkFor(start: string): Promise<string | undefined> {
      try {
        username ??= (await result('getMe', self, {})).username;
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        return undefined;
      }
      return `https://t.me/${username}?start=${start}`;
    },

    /** Who has started the bot since the last call, and whether nothing more waits. Throws `RequestFailed`. */
    async readStarts(): Promise<{ readonly starts: readonly TelegramStart[]; readonly isLast: boolean }> {
      const fields = { offset, limit: longestBatch, timeout: 0, allowed_updates: ['message'] };
      const read = await result('getUpdates', updates, fields);
      offset = Math.max(offset, ...read.map(({ update_id: id }) => id + 1));
      const starts = read.flatMap((update) => {
        const { message } = startUpdate.safeParse(update).data ?? {};
        const start = /^\/start(?:@\w+)? ([\w-]{1,64})$/.exec(message?.text ?? '')?.[1];
        if (!message || start === undefined) return [];
        const { id, title, first_name: first, last_name: last } = message.chat;
        const name = toSingleLine(title ?? [first, last].filter(Boolean).join(' ')).slice(0, longestName);
        return [{ chat: id, name: name || 'Telegram', token: start }];
      });
      return { starts, isLast: read.length < longestBatch };
    },
  };
}

export type Telegram = ReturnType<typeof openTelegram>;

/** Telegram fetches no pages of ours. */
const noPreview = { is_disabled: true };
/** A day. */
const longestPause = 24 * 60 * 60 * 1000;

function outcomeOf(status: number, { description, parameters }: z.output<typeof refusal>): TelegramOutcome {
  const said = toSingleLine(`${status} ${description}`).slice(0, longestSaid);
  if (parameters?.migrate_to_chat_id !== undefined) return { state: 'moved', chat: parameters.migrate_to_chat_id };
  if (status === 429 || status >= 500)
    return { state: 'later', said, retryAfter: parameters?.retry_after ?? retryAfter };
  return { state: status === 403 || /chat not found/i.test(description) ? 'gone' : 'refused', said };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
