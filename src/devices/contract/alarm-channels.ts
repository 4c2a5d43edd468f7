/** The ways in which a message about an incident can leave, the calmest first. A new one is added here. */
export const alarmChannels = ['email', 'push', 'telegram', 'webhook', 'sms', 'call'] as const;

export type AlarmChannelName = (typeof alarmChannels)[number];

/** The texts with their names. */
export const channelWords = {
  email: 'label.email',
  push: 'incidents.push',
  telegram: 'incidents.telegram',
  webhook: 'channels.webhook',
  sms: 'incidents.sms',
  call: 'incidents.call',
} as const satisfies Record<AlarmChannelName, string>;

/** Whose the place is that a channel leads to: what a thief set up elsewhere ends when the owner undoes the theft. */
export const channelPlaces = {
  email: 'account',
  push: 'session',
  telegram: 'elsewhere',
  webhook: 'elsewhere',
  sms: 'account',
  call: 'account',
} as const satisfies Record<AlarmChannelName, 'account' | 'session' | 'elsewhere'>;

/** What became of a call that asked for a key, as its provider reported it. */
export const callAnswers = ['acknowledged', 'answered', 'unanswered'] as const;

export type CallAnswer = (typeof callAnswers)[number];

/**
 * What a message says: `began`, `grew` tenfold or after it was acknowledged, `unstable` instead of `began`, `settled`
 * when it is no longer, `reminder` a day after an acknowledgment, `escalated` on a channel that comes later, `undelivered`
 * when another channel failed, `ended`.
 */
export const alarmEvents = [
  'began',
  'grew',
  'unstable',
  'settled',
  'reminder',
  'escalated',
  'undelivered',
  'ended',
  'test',
] as const;

export type AlarmMessageEvent = (typeof alarmEvents)[number];
