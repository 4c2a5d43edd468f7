import type { MessageId } from '../../../messages/ids.ts';
import type { AlarmChannelName } from '../../contract/alarm-channels.ts';

/** The names of the channels for people. */
export const channelWords = {
  email: 'label.email',
  push: 'incidents.push',
  sms: 'incidents.sms',
  call: 'incidents.call',
} as const satisfies Record<AlarmChannelName, MessageId>;
