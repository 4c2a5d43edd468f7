import type { AlarmChannelName } from '../../contract/alarm-channels.ts';
import type { AlarmChannel } from './channel.ts';
import { email } from './email.ts';

/** Every channel, by its name. */
export const channels: Readonly<Record<AlarmChannelName, AlarmChannel>> = { email };
