import { refuse } from '../../../contract/failures.ts';
import { iso, seconds } from '../../../contract/units.ts';
import { every, type JobLog } from '../../../runtime/every.ts';
import { randomSecret, sha256 } from '../../../security/macs.ts';
import { lockAndFindAccount } from '../../../store/accounts/accounts.ts';
import { channelsOf, setChannel } from '../../store/alarm-messages.ts';
import { areTelegramLinksOpen, telegramLinkLifetime, telegramLinks } from '../../store/telegram-links.ts';
import * as contract from '../incidents/incidents.contract.ts';
import type { ChannelService } from './channel.ts';
import { greetChat, type TelegramTarget } from './telegram.ts';

/** Makes a link that connects the first chat in which somebody follows it. */
export async function linkTelegram({ store, now, messengers }: ChannelService, accountId: string) {
  const { telegram } = messengers;
  if (!telegram) throw refuse(contract.linkTelegram, 'not_found');
  const token = randomSecret(128);
  const link = await telegram.linkFor(token);
  if (link === undefined) throw refuse(contract.linkTelegram, 'try_again_later');
  const at = now();
  await telegramLinks.add(store, { token_hash: sha256(token), account_id: accountId, created_at: at });
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
