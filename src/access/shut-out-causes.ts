import type { EndReason } from '../contract/failures.ts';

/** Everything that ends after an event that concerns an account's credentials. */
export interface Ends {
  /** The reason that the browser of an ended session shows. */
  readonly reason: EndReason;
  readonly sessions: 'all' | 'others' | 'one' | 'none';
  /** What applications may do for the account (OpenID Connect); they also learn that the sign-in ended. */
  readonly grants: 'all' | 'others' | 'one' | 'none';
  readonly devices: 'all' | 'others' | 'none';
  /** Computers and smartphones that report to the account. */
  readonly computers: 'all' | 'since' | 'none';
  /** Reset links and emailed sign-in codes. */
  readonly emailedSecrets: boolean;
  /** Codes that add a computer. */
  readonly enrolments: boolean;
  /** Requested changes of address that are not confirmed yet. */
  readonly addressRequests: boolean;
  /** Rights to undo a change of address: only for changes made since. All others stay valid for their 72 hours. */
  readonly undoRights: 'since' | 'none';
  /** The password, until the owner sets another one. */
  readonly password: boolean;
  /** Lockouts, so that guesses by others do not keep the owner out. */
  readonly lockouts: boolean;
  /** Name, phone, consent to offers, rules of alarms and all other entries. */
  readonly entries: boolean;
  /** A planned deletion. */
  readonly deletion: boolean;
}

/**
 * The only list of what ends after which event. A new credential is a field of `Ends`, which does not compile until each
 * row says what becomes of it.
 */
export const shutOutCauses = {
  /** A signed-in user changed the password; this session and browser stay. */
  password_changed: {
    reason: 'password_changed',
    sessions: 'others',
    grants: 'others',
    devices: 'others',
    computers: 'none',
    emailedSecrets: true,
    enrolments: true,
    addressRequests: true,
    undoRights: 'none',
    password: false,
    lockouts: false,
    entries: false,
    deletion: false,
  },
  /** The owner set a password with an emailed link. */
  password_reset: {
    reason: 'password_changed',
    sessions: 'all',
    grants: 'all',
    devices: 'all',
    computers: 'none',
    emailedSecrets: true,
    enrolments: true,
    addressRequests: true,
    undoRights: 'none',
    password: false,
    lockouts: true,
    entries: false,
    deletion: false,
  },
  /** The address was never proven, and someone who reads its email signs in from an unknown browser. */
  first_proof: {
    reason: 'password_changed',
    sessions: 'all',
    grants: 'all',
    devices: 'all',
    computers: 'all',
    emailedSecrets: true,
    enrolments: true,
    addressRequests: true,
    undoRights: 'none',
    password: true,
    lockouts: true,
    entries: true,
    deletion: false,
  },
  /** Emailed secrets went to an address that the account has left. */
  address_changed: {
    reason: 'ended_elsewhere',
    sessions: 'none',
    grants: 'none',
    devices: 'none',
    computers: 'none',
    emailedSecrets: true,
    enrolments: false,
    addressRequests: false,
    undoRights: 'none',
    password: false,
    lockouts: false,
    entries: false,
    deletion: false,
  },
  /** The owner undid a change of address, which shuts out the person who made it, with everything that they added. */
  address_returned: {
    reason: 'email_undone',
    sessions: 'all',
    grants: 'all',
    devices: 'all',
    computers: 'since',
    emailedSecrets: true,
    enrolments: true,
    addressRequests: true,
    undoRights: 'since',
    password: true,
    lockouts: true,
    entries: false,
    deletion: true,
  },
  /** An operator locked the account. */
  locked: {
    reason: 'ended_elsewhere',
    sessions: 'all',
    grants: 'all',
    devices: 'none',
    computers: 'none',
    emailedSecrets: true,
    enrolments: true,
    addressRequests: true,
    undoRights: 'none',
    password: false,
    lockouts: false,
    entries: false,
    deletion: false,
  },
  /** The owner requested the deletion of the account. */
  deletion_planned: {
    reason: 'ended_elsewhere',
    sessions: 'all',
    grants: 'all',
    devices: 'none',
    computers: 'none',
    emailedSecrets: true,
    enrolments: true,
    addressRequests: true,
    undoRights: 'none',
    password: false,
    lockouts: false,
    entries: false,
    deletion: false,
  },
  /** Someone used a copy of a refresh token: the session ends for both, with codes that the copier may have created. */
  session_copied: {
    reason: 'reused',
    sessions: 'one',
    grants: 'one',
    devices: 'none',
    computers: 'none',
    emailedSecrets: false,
    enrolments: true,
    addressRequests: false,
    undoRights: 'none',
    password: false,
    lockouts: false,
    entries: false,
    deletion: false,
  },
  /** The owner or an operator ended sessions, without a reason to distrust the password. */
  sessions_ended: {
    reason: 'ended_elsewhere',
    sessions: 'others',
    grants: 'others',
    devices: 'none',
    computers: 'none',
    emailedSecrets: false,
    enrolments: false,
    addressRequests: false,
    undoRights: 'none',
    password: false,
    lockouts: false,
    entries: false,
    deletion: false,
  },
} as const satisfies Record<string, Ends>;

export type ShutOutCause = keyof typeof shutOutCauses;
