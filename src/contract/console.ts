import type { EndReason } from './failures.ts';

/** What owners prove their identity with to sign in. */
export const signInSecrets = ['password', 'mail_code', 'passkey'] as const;
export type SignInSecret = (typeof signInSecrets)[number];

interface Ends {
  readonly until: string;
}

/** Of a limit; `words` is the IP address whose requests it limits, if it does not limit all. */
interface Limited extends Ends {
  readonly words?: string;
}

interface OfEmail {
  /** The name of its notice. */
  readonly notice: string;
  readonly at: string;
}

/** Of an email that was not delivered, in the words of a mail server. */
interface Undelivered extends OfEmail {
  readonly words?: string;
}

interface EndedSession {
  readonly at: string;
  readonly device: string;
  readonly ip: string;
  readonly reason: EndReason;
}

type Nothing = Readonly<Record<never, never>>;

/**
 * What may be going on with an account, each with the values of its sentence: `at`, `since` and `until` are ISO 8601, and
 * `words` are those of others, which nobody translates.
 */
export interface GoingOnParams {
  can_sign_in: { readonly methods: readonly SignInSecret[] };
  cannot_sign_in: Nothing;
  no_method_left: Nothing;
  known_device_works: Nothing;
  /** `count` recovery codes are left. */
  second_step_needed: { readonly count: number };
  locked_by_operator: { readonly since: string; readonly by: string; readonly words?: string };
  locked_by_wrong_passwords: Ends;
  password_locked_on_known_device: Ends;
  password_locked_for_signed_in: Ends;
  second_step_locked_on_new_browsers: Ends;
  second_step_locked_on_known_device: Ends;
  second_step_locked_for_signed_in: Ends;
  deletion_planned: Ends;
  second_step_awaited: { readonly at: string };
  second_step_removal: Ends;
  no_recovery_codes: Nothing;
  email_change_pending: Ends & { readonly email: string };
  email_change_undoable: Ends;
  email_unproven: Nothing;
  emails_accepted: OfEmail & { readonly count: number };
  no_emails: Nothing;
  email_suppressed: {
    readonly since: string;
    readonly told_by: string;
    readonly reason: string;
    readonly words: string;
  };
  email_returned: Undelivered;
  /** `until` its next attempt. */
  email_waiting: Undelivered & Ends;
  email_held_back: OfEmail;
  email_given_up: Undelivered;
  reset_emails_limited: Limited;
  code_emails_limited: Limited;
  address_changes_limited: Limited;
  confirmation_emails_limited: Limited;
  signed_in: { readonly count: number };
  not_signed_in: Nothing;
  session_copied: EndedSession;
  last_session_ended: EndedSession;
}

export type GoingOnCode = keyof GoingOnParams;

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

/** What statistics count, hour by hour; `refused_from` are the networks with the most refused sign-ins. */
export const statisticsSeries = [
  'sign_ins',
  'refused_from',
  'registrations',
  'calls',
  'emails',
  'response_times',
  'devices',
] as const;

export type StatisticsSeries = (typeof statisticsSeries)[number];

/** Upper limits of the ranges in which response times are counted, in milliseconds; the last range has none. */
export const responseTimeRanges = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;

/** The label of the range of a response time. */
export const rangeOf = (milliseconds: number): string =>
  String(responseTimeRanges.find((limit) => milliseconds <= limit) ?? 'more');
