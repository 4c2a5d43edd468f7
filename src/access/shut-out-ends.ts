import type { EndReason } from '../contract/failures.ts';

/** Everything that ends after an event that concerns an account's credentials. */
export interface Ends {
  /** The reason that the browser of an ended session shows. */
  readonly reason: EndReason;
  readonly sessions: 'all' | 'others' | 'one' | 'none';
  /** Grants of applications (OpenID Connect); we also notify them that the sign-in ended. */
  readonly grants: 'all' | 'others' | 'one' | 'none';
  /** Consents to applications: each asks again. */
  readonly consents: boolean;
  readonly devices: 'all' | 'others' | 'none';
  /** Whether known devices of ended sessions may no longer skip the second step. */
  readonly remembered: boolean;
  /** Computers and smartphones that report to the account. */
  readonly computers: 'all' | 'since' | 'none';
  /** Passkeys: a person who is shut out must not keep one. `since` includes those that a distrusted session added. */
  readonly passkeys: 'all' | 'since' | 'none';
  /** Reset links and emailed sign-in codes. */
  readonly emailedSecrets: boolean;
  /** Codes and keys that add computers. */
  readonly enrolments: boolean;
  /** Requested changes of address that are not confirmed yet. */
  readonly addressRequests: boolean;
  /** Rights to undo a change of address: only for changes made since. All others stay valid for their 72 hours. */
  readonly undoRights: 'since' | 'none';
  /** The password, until the owner sets another one. */
  readonly password: boolean;
  /** Lockouts except that of the second step, so that guesses by others do not keep the owner out. */
  readonly lockouts: boolean;
  /** Name, phone, consent to offers, rules of alarms and all other entries. */
  readonly entries: boolean;
  /** A planned deletion. */
  readonly deletion: boolean;
  /** What its owner gave as an operator: `open` are invitations, and `recent` also API keys of the last 72 hours. */
  readonly given: 'all' | 'recent' | 'open' | 'none';
  /** Sign-ins that wait for their second step. */
  readonly pendingSignIns: boolean;
  /** The requested removal of a lost second step. */
  readonly removalRequest: boolean;
  /** Authenticator and recovery codes; `since` includes those of a distrusted session. */
  readonly secondStep: 'all' | 'since' | 'none';
}
