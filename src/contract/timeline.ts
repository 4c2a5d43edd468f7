/** What the timeline of a person shows, each from its own table. */
export const timelineKinds = ['sign_ins', 'refusals', 'emails', 'calls', 'changes', 'alarms', 'operators'] as const;

export type TimelineKind = (typeof timelineKinds)[number];

/** How something ended: states of emails and calls, where `count` wrong secrets were typed, and words of others. */
export interface TimelineParams {
  readonly state?: (typeof timelineStates)[number];
  readonly count?: number;
  readonly on?: (typeof guessPlaces)[number];
  readonly words?: string;
  /** ISO 8601. */
  readonly until?: string;
}

export const timelineStates = [
  'sent',
  'waits',
  'given_up',
  'held_back',
  'calling',
  'placed',
  'failed',
  'confirmed',
] as const;
/** New browsers, one known device, or requests of signed-in users. */
export const guessPlaces = ['new_browsers', 'known_device', 'signed_in'] as const;
