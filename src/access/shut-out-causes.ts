import type { EndReason } from '../contract/failures.ts';

/** The events that concern an account's credentials, each with the reason that the browsers of ended sessions show. */
const causes = [
  // A signed-in user changed the password; this session and browser stay.
  ['password_changed', 'password_changed'],
  // The owner set a password with an emailed link, which also removes what a thief may just have added (`admit.ts`).
  ['password_reset', 'password_changed'],
  // The address was never proven, and someone who reads its email signs in from an unknown browser.
  ['first_proof', 'ended_elsewhere'],
  // Emailed secrets went to an address that the account has left.
  ['address_changed', 'ended_elsewhere'],
  // The owner undid a change of address, which shuts out the person who made it, with everything that they added.
  ['address_returned', 'email_undone'],
  // An operator locked the account, or its owner requested its deletion: it is closed for now.
  ['locked', 'ended_elsewhere'],
  ['deletion_planned', 'ended_elsewhere'],
  // Someone used a copy of a refresh token: the session ends for both, with what the copier may have requested.
  ['session_copied', 'reused'],
  // The owner or an operator ended sessions, without a reason to distrust the password. A stranger in one of them must
  // not finish afterward what they began there.
  ['sessions_ended', 'ended_elsewhere'],
  ['session_ended', 'ended_elsewhere'],
] as const satisfies readonly (readonly [cause: string, reason: EndReason])[];

export type ShutOutCause = (typeof causes)[number][0];

type Extent = 'all' | 'others' | 'one' | 'recent' | 'open' | 'since' | 'none' | boolean;

/** A value for each cause, in their order. */
type Row<Causes = typeof causes> = { readonly [At in keyof Causes]: Extent };

/**
 * The only list of what ends after which event. A new credential is a row, and a new event is a column; neither compiles
 * until all of its values are here. `since` is what was added then or later, or in a distrusted session.
 */
// biome-ignore format: the columns are the causes
const table = {
  //                password password first    address  address           deletion session  sessions session
  //                changed  reset    proof    changed  returned locked   planned  copied   ended    ended
  sessions:        ['others','all',   'all',   'none',  'all',   'all',   'all',   'one',   'others','one'],
  // Of applications (OpenID Connect), which we also notify that the sign-in ended.
  grants:          ['others','all',   'all',   'none',  'all',   'all',   'all',   'one',   'others','one'],
  // Consents to applications: each asks again.
  consents:        [false,   false,   true,    false,   true,    false,   false,   false,   false,   false],
  devices:         ['others','all',   'all',   'none',  'all',   'none',  'none',  'none',  'none',  'none'],
  // The right of known devices of ended sessions to skip the second step.
  remembered:      [true,    true,    true,    false,   true,    true,    false,   true,    true,    true],
  // Computers and smartphones that report to the account.
  computers:       ['none',  'none',  'all',   'none',  'since', 'none',  'none',  'none',  'none',  'none'],
  passkeys:        ['none',  'since', 'all',   'none',  'since', 'none',  'none',  'none',  'none',  'none'],
  // Reset links and emailed sign-in codes.
  emailedSecrets:  [true,    true,    true,    true,    true,    true,    true,    false,   false,   false],
  // Codes and keys that add computers, and links that connect a chat to alarms.
  enrolments:      [true,    true,    true,    false,   true,    true,    true,    true,    true,    true],
  // Requested changes of address that are not confirmed yet.
  addressRequests: [true,    true,    true,    false,   true,    true,    true,    true,    true,    true],
  // Rights to undo a change of address: all others stay valid for their 72 hours.
  undoRights:      ['none',  'none',  'none',  'none',  'since', 'none',  'none',  'none',  'none',  'none'],
  // The password, until the owner sets another one.
  password:        [false,   false,   true,    false,   true,    false,   false,   false,   false,   false],
  // Lockouts except that of the second step, so that guesses by others do not keep the owner out.
  lockouts:        [false,   true,    true,    false,   true,    false,   false,   false,   false,   false],
  // Name, phone, consent to offers, rules of alarms and all other entries.
  entries:         [false,   false,   true,    false,   false,   false,   false,   false,   false,   false],
  // A planned deletion.
  deletion:        [false,   false,   false,   false,   true,    false,   false,   false,   false,   false],
  // What its owner gave as an operator: `open` are invitations, and `recent` also API keys of the last 72 hours.
  // With `recent` and `all`, receivers and applications of that time are in doubt.
  given:           ['open',  'recent','all',   'none',  'recent','all',   'all',   'open',  'open',  'open'],
  // Sign-ins that wait for their second step.
  pendingSignIns:  [true,    true,    true,    true,    true,    true,    true,    false,   true,    true],
  // The requested removal of a lost second step.
  removalRequest:  [true,    true,    true,    false,   true,    true,    true,    false,   false,   false],
  // Authenticator and recovery codes.
  secondStep:      ['none',  'since', 'all',   'none',  'since', 'none',  'none',  'none',  'none',  'none'],
} as const satisfies Readonly<Record<string, Row>>;

/** What ends after an event. */
export type Ends = { readonly reason: EndReason } & {
  readonly [Thing in keyof typeof table]: (typeof table)[Thing][number];
};

export function endsAfter(cause: ShutOutCause): Ends {
  const column = causes.findIndex(([name]) => name === cause);
  const things = Object.entries(table).map(([thing, row]) => [thing, row[column]]);
  return { reason: causes[column]?.[1], ...Object.fromEntries(things) } as Ends;
}
