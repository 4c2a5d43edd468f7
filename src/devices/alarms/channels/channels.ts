import type { BodyRead } from '../../../contract/endpoint.ts';
import { refuse } from '../../../contract/failures.ts';
import { isoOrNull } from '../../../contract/units.ts';
import type { Service } from '../../../server/service.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { type AlarmChannelName, alarmChannels, channelFacts } from '../../contract/alarm-channels.ts';
import { channelsOf, forgetChannel, setChannel, troublesOf } from '../../store/alarm-messages.ts';
import type { AlarmChannel } from './channel.ts';
import type { AlarmChannels } from './channels.contract.ts';
import * as contract from './channels.contract.ts';
import { email } from './email.ts';
import { call, sms } from './phone.ts';
import { push } from './push.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

/** Every channel, by its name. */
export const channels: Readonly<Record<AlarmChannelName, AlarmChannel>> = { email, push, telegram, webhook, sms, call };

/** Describes the channels of an account, those first that are used first. */
export async function describeChannels(service: Service, account: AccountsTable): Promise<AlarmChannels> {
  const { store } = service;
  const chosen = await channelsOf(store, account.id);
  const troubles = await troublesOf(store, account.id);
  const offered = alarmChannels.filter((name) => channels[name].isOffered?.(service, account) ?? true);
  return offered.map((name) => {
    const row = chosen.find(({ channel }) => channel === name);
    const email = name === 'email' ? 0 : null;
    const recipient = channels[name].recipient({ account, target: row?.target ?? '' }) ?? null;
    const trouble = troubles.find((one) => one.channel === name && one.recipient === recipient);
    return {
      channel: name,
      after_minutes: row?.after_minutes ?? email,
      recipient,
      broken: trouble?.why ?? null,
      broken_since: isoOrNull(trouble?.since ?? null),
    };
  });
}

/** Uses a channel, also for incidents that are open, or no longer. */
export async function changeChannel(
  trx: StoreTransaction,
  { account, accountId, at }: Owner,
  { body: { channel, after_minutes: after } }: { readonly body: BodyRead<typeof contract.changeAlarmChannel> },
): Promise<AccountsTable> {
  const key = { account_id: accountId, channel };
  const known = (await channelsOf(trx, accountId)).find((one) => one.channel === channel);
  const isSetUp = channelFacts[channel].place === 'account';
  if (after === null) await forgetChannel(trx, { ...key, at });
  else if (known) await setChannel(trx, { ...known, after_minutes: after });
  else if (isSetUp)
    await setChannel(trx, { ...key, after_minutes: after, target: '', set_at: at, broken: null, broken_at: null });
  else throw refuse(contract.changeAlarmChannel, 'not_found');
  return account;
}
