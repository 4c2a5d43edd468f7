interface ChannelFacts {
  /** The text with its name. */
  readonly words: string;
  /** Whose the place is that it leads to: what a thief set up elsewhere ends when the owner undoes the theft. */
  readonly place: 'account' | 'session' | 'elsewhere';
  /** Its owner chooses after how many minutes it is used. Email has its own rule, and browsers subscribe. */
  readonly timed?: true;
}

/** The ways in which a message about an incident can leave, the calmest first. A new one is added here. */
export const channelFacts = {
  email: { words: 'label.email', place: 'account' },
  push: { words: 'incidents.push', place: 'session' },
  telegram: { words: 'incidents.telegram', place: 'elsewhere', timed: true },
  webhook: { words: 'channels.webhook', place: 'elsewhere', timed: true },
  sms: { words: 'incidents.sms', place: 'account', timed: true },
  call: { words: 'incidents.call', place: 'account', timed: true },
} as const satisfies Record<string, ChannelFacts>;

export type AlarmChannelName = keyof typeof channelFacts;

export const alarmChannels = Object.keys(channelFacts) as AlarmChannelName[];

type Timed = { [Name in AlarmChannelName]: 'timed' extends keyof (typeof channelFacts)[Name] ? Name : never };
export type TimedChannelName = Timed[AlarmChannelName];

export const isTimedChannel = (name: AlarmChannelName): name is TimedChannelName => 'timed' in channelFacts[name];

export const timedChannels = alarmChannels.filter(isTimedChannel);

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
