import { days, seconds } from '../../../contract/units.ts';
import { wordsIn } from '../../../outbox/compose.ts';
import { countRequest, limitKey } from '../../../store/rate-limits.ts';
import { retarget } from '../../store/alarm-messages.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, Sending } from './channel.ts';
import { describeMessage } from './words.ts';

/** Where messages go, as `telegram-links.ts` stores it. */
export interface TelegramTarget {
  readonly chat: number;
  /** Of the person or group. */
  readonly name: string;
}

/** For each account. */
const aDay = 200;
/** A message that Telegram lets wait for longer leaves by the next channel. */
const longestWait = seconds(120);
/** Characters; Telegram refuses longer texts. */
const longestText = 4096;

/** Messages to a chat with the operator's bot. */
export const telegram: AlarmChannel = {
  name: 'telegram',
  heedsQuietHours: true,
  room: 8,
  isOffered: ({ messengers }) => messengers.telegram !== undefined,
  recipient: ({ target }) => (target === '' ? undefined : (JSON.parse(target) as TelegramTarget).name),
  send: sendToChat,
};

async function sendToChat(service: ChannelService, message: AlarmMessage, signal: AbortSignal): Promise<Sending> {
  const { store, messengers, now } = service;
  const { account, event } = message;
  const bot = messengers.telegram;
  if (!bot) return { state: 'failed', error: 'the operator has no bot' };
  const limit = { key: limitKey('alarm-telegram', account.id), limit: aDay, within: days(1) };
  const counted = await countRequest(store, [limit], now());
  if (counted.state === 'refused') return { state: 'failed', error: `${aDay} a day` };
  const target = JSON.parse(message.target) as TelegramTarget;
  const text = await textOf(service, message);
  const silent = event === 'ended';
  let outcome = await bot.send(target.chat, { text, silent }, signal);
  if (outcome.state === 'moved') {
    const { chat } = outcome;
    await retarget(store, { accountId: account.id, from: message.target, to: JSON.stringify({ ...target, chat }) });
    outcome = await bot.send(chat, { text, silent }, signal);
  }
  if (outcome.state === 'accepted') return { state: 'sent' };
  if (outcome.state === 'gone') return { state: 'failed', error: outcome.said, gone: true };
  if (outcome.state !== 'later') return { state: 'failed', error: 'said' in outcome ? outcome.said : 'the chat moves' };
  const after = seconds(outcome.retryAfter);
  return after > longestWait
    ? { state: 'failed', error: outcome.said }
    : { state: 'later', after, error: outcome.said };
}

async function textOf(service: ChannelService, message: AlarmMessage): Promise<string> {
  const { config } = service;
  const { title, lines, path } = await describeMessage(service, message);
  const link = `${config.PUBLIC_URL}${path}`;
  const words = [title, ...lines].join('\n');
  return `${words.slice(0, longestText - link.length - 1)}\n${link}`;
}

/** What the bot says in a chat that was just linked. */
export async function greetChat(service: ChannelService, { locale }: AlarmMessage['account'], chat: number) {
  const { say } = await wordsIn({ locale });
  const text = say('mail.telegram.linked', { product: service.config.PRODUCT_NAME });
  await service.messengers.telegram?.send(chat, { text, silent: true });
}
