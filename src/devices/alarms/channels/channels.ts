import type { AlarmChannelName } from '../../contract/alarm-channels.ts';
import type { AlarmChannel } from './channel.ts';
import { email } from './email.ts';
import { call, sms } from './phone.ts';
import { push } from './push.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

/** Every channel, by its name. */
export const channels: Readonly<Record<AlarmChannelName, AlarmChannel>> = { email, push, telegram, webhook, sms, call };
