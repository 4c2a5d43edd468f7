import { refuse } from '../../../contract/failures.ts';
import { days, iso, seconds } from '../../../contract/units.ts';
import { wordsIn } from '../../../outbox/compose.ts';
import { every, type JobLog } from '../../../runtime/every.ts';
import { randomSecret, sha256 } from '../../../security/macs.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { lockAndFindAccount } from '../../../store/accounts/accounts.ts';
import { countRequest, limitKey } from '../../../store/rate-limits.ts';
import { channelsOf, retarget, setChannel } from '../../store/alarm-messages.ts';
import { areTelegramLinksOpen, telegramLinkLifetime, telegramLinks } from '../../store/telegram-links.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, Sending } from './channel.ts';
import * as contract from './channels.contract.ts';
import { describeMessage } from './words.ts';

/** Where messages go. */
interface TelegramTarget {
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

interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Makes a link that connects the first chat in which somebody follows it. */
export async function linkTelegram({ store, now, messengers }: ChannelService, session: SignedIn) {
  const { telegram } = messengers;
  if (!telegram) throw refuse(contract.linkTelegram, 'not_found');
  const token = randomSecret(128);
  const link = await telegram.linkFor(token);
  if (link === undefined) throw refuse(contract.linkTelegram, 'try_again_later');
  const at = now();
  await store.transaction().execute(async (trx) => {
    // Telegram may have taken seconds, in which somebody ended the session.
    const { id: account_id } = await lockSignedInAccount(trx, { endpoint: contract.linkTelegram, ...session, now: at });
    await telegramLinks.add(trx, { token_hash: sha256(token), account_id, created_at: at });
  });
  return { link, expires_at: iso(at + telegramLinkLifetime) };
}

/** Telegram keeps what the bot has not read for a day, so nobody asks while no link is open. */
const readEvery = seconds(2);
/** Each has up to a hundred messages to the bot. */
const maxBatches = 10;

/** Connects the chats of links that were followed; any number of nodes may run it, without an address of their own. */
export const startTelegramLinks = (service: ChannelService, log: JobLog) =>
  every(readEvery, { name: 'reading who starts the bot of Telegram', log }, async () => {
    const { store, now, messengers } = service;
    if (!messengers.telegram || !(await areTelegramLinksOpen(store, now()))) return;
    for (let batch = 0; batch < maxBatches; batch += 1) {
      const { starts, isLast } = await messengers.telegram.readStarts();
      for (const { token, ...target } of starts) await connect(service, token, target);
      if (isLast) return;
    }
  });

async function connect(service: ChannelService, token: string, target: TelegramTarget): Promise<void> {
  const { store, now } = service;
  const at = now();
  const account = await store.transaction().execute(async (trx) => {
    const link = await telegramLinks.find(trx, { token_hash: sha256(token) }, at);
    // The account's row is locked before those that belong to it.
    const owner = link && (await lockAndFindAccount(trx, link.account_id));
    if (!owner || !(await telegramLinks.use(trx, { token_hash: sha256(token) }, at))) return undefined;
    const known = (await channelsOf(trx, owner.id)).find(({ channel }) => channel === 'telegram');
    await setChannel(trx, {
      ...{ account_id: owner.id, channel: 'telegram', after_minutes: known?.after_minutes ?? 0 },
      ...{ target: JSON.stringify(target), set_at: at, broken: null, broken_at: null },
    });
    return owner;
  });
  if (account) await greetChat(service, account, target.chat);
}

/** What the bot says in a chat that was just linked. */
async function greetChat(service: ChannelService, { locale }: AlarmMessage['account'], chat: number) {
  const { say } = await wordsIn({ locale });
  const text = say('mail.telegram.linked', { product: service.config.PRODUCT_NAME });
  await service.messengers.telegram?.send(chat, { text, silent: true });
}
