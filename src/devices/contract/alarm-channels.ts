/** The ways in which a message about an incident can leave, the calmest first. A new one is added here. */
export const alarmChannels = ['email', 'push', 'sms', 'call'] as const;

export type AlarmChannelName = (typeof alarmChannels)[number];

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
