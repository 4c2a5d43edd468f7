import { type GoingOnCode, type GoingOnParams, type SignInSecret, signInSecrets } from '../contract/console.ts';
import type { EndReason } from '../contract/failures.ts';
import { days, hours, iso, minutes } from '../contract/units.ts';
import { changeMailsPerHour, confirmationMailsPerPeriod } from '../journeys/account/contacts/change-email.ts';
import { isPassword } from '../security/imported-hashes.ts';
import { sha256 } from '../security/macs.ts';
import { lockoutsOf } from '../store/access/lockouts.ts';
import { countPasskeys } from '../store/access/passkeys.ts';
import { countRecoveryCodes } from '../store/access/recovery-codes.ts';
import { removalDueAt, signInPendingSince } from '../store/access/second-step.ts';
import { idleLifetimeOf, isLive, type SessionsTable, sessionLifetime } from '../store/access/sessions.ts';
import { needsSecondStep } from '../store/access/sign-in-lookup.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import type { ActivityTable } from '../store/accounts/activity-log.ts';
import { readAccountData } from '../store/accounts/delete-account.ts';
import { pendingEmailChange, undoableUntil } from '../store/accounts/email-changes.ts';
import { deviceName } from '../store/browser-names.ts';
import type { Store } from '../store/database.ts';
import { emailsAnHour } from '../store/emails/email-rate-limits.ts';
import { suppressedReason } from '../store/emails/outbox.ts';
import { type ListedEmail, listEmails } from '../store/emails/outbox-review.ts';
import { findSuppressed } from '../store/emails/suppression-list.ts';
import { listAuditEntries } from '../store/operators/audit-log.ts';
import { limitKey, unitsByKey } from '../store/rate-limits.ts';
import { actorNames } from './operation.ts';

/** What an operator can do about it. */
export type NextStep = 'unlock' | 'allow_address' | 'retry_emails' | 'end_sessions' | 'remove_second_step';

/** Something that is going on with an account: one sentence for an operator, who may have the owner on the phone. */
export interface GoingOn {
  readonly code: GoingOnCode;
  readonly params: GoingOnParams[GoingOnCode];
  readonly text: string;
  /** ISO 8601: when it ends by itself. */
  readonly until?: string;
  readonly action?: NextStep;
}

function say<Code extends GoingOnCode>(code: Code, params: GoingOnParams[Code], action?: NextStep): GoingOn {
  return {
    code,
    params,
    text: goingOnTexts[code](params),
    ...('until' in params && { until: params.until }),
    ...(action && { action }),
  };
}

interface Asked {
  readonly store: Store;
  readonly config: {
    readonly MAIL_CODE_SIGN_IN: string;
    readonly SECOND_STEP: string;
    readonly relyingParty: object | undefined;
    readonly RECOVERY_MAILS_PER_ACCOUNT: number;
  };
  readonly account: AccountsTable;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Says what is going on with an account: first whether its owner can sign in now, then the rest by urgency. */
export async function goingOn(asked: Asked): Promise<readonly GoingOn[]> {
  const locks = await describeLocks(asked);
  return [
    ...(await describeSignIn(asked, locks)),
    ...locks,
    ...(await describePending(asked)),
    ...(await describeEmails(asked)),
    ...(await describeLimits(asked)),
    ...(await describeSessions(asked)),
  ];
}

async function describeSignIn({ store, config, account }: Asked, locks: readonly GoingOn[]): Promise<GoingOn[]> {
  const isLocked = (by: GoingOnCode) => locks.some(({ code }) => code === by);
  if (isLocked('locked_by_operator')) return [say('cannot_sign_in', {})];
  const isSuppressed = (await findSuppressed(store, account.email)) !== undefined;
  const passkeys = config.relyingParty ? await countPasskeys(store, account.id) : 0;
  const usesGuesses = isLocked('locked_by_wrong_passwords');
  const password = isPassword(account.password_hash);
  const works: Readonly<Record<SignInSecret, boolean>> = {
    password: password && !usesGuesses,
    mail_code: config.MAIL_CODE_SIGN_IN === 'on' && !isSuppressed,
    passkey: passkeys > 0,
  };
  const methods = signInSecrets.filter((secret) => works[secret]);
  const count = needsSecondStep({ config }, account) ? await countRecoveryCodes(store, account.id) : undefined;
  return [
    methods.length > 0 ? say('can_sign_in', { methods }) : say('no_method_left', {}),
    ...(count === undefined ? [] : [say('second_step_needed', { count })]),
    ...(usesGuesses && password ? [say('known_device_works', {})] : []),
  ];
}

/** The code of a lockout. */
const lockCodes = {
  password: {
    new_browsers: 'locked_by_wrong_passwords',
    known_device: 'password_locked_on_known_device',
    signed_in: 'password_locked_for_signed_in',
  },
  second_step: {
    new_browsers: 'second_step_locked_on_new_browsers',
    known_device: 'second_step_locked_on_known_device',
    signed_in: 'second_step_locked_for_signed_in',
  },
} as const;

async function describeLocks({ store, account, now }: Asked): Promise<GoingOn[]> {
  const { id, email_key, locked_at } = account;
  const found: GoingOn[] = [];
  if (locked_at !== null) {
    const entries = await listAuditEntries(store, { accountId: id, max: 100 });
    const entry = entries.find(({ action }) => action === 'account_locked');
    const words = entry?.reason ? { words: entry.reason } : {};
    const by = entry && ((await actorNames(store, [entry]))(entry) ?? entry.actor);
    found.push(say('locked_by_operator', { since: iso(locked_at), by: by ?? '–', ...words }, 'unlock'));
  }
  for (const { of, on, until } of await lockoutsOf(store, { emailHash: sha256(email_key), accountId: id, now }))
    found.push(say(lockCodes[of][on], { until: iso(until) }, 'unlock'));
  return found;
}

async function describePending({ store, config, account, now }: Asked): Promise<GoingOn[]> {
  const { id, delete_at, email_proven_at } = account;
  const removal = await removalDueAt(store, id);
  const change = await pendingEmailChange(store, { accountId: id, now });
  const undoable = await undoableUntil(store, { accountId: id, now });
  const pendingSince = await signInPendingSince(store, { accountId: id, now });
  const noCodes = needsSecondStep({ config }, account) && (await countRecoveryCodes(store, id)) === 0;
  return [
    ...(delete_at === null ? [] : [say('deletion_planned', { until: iso(delete_at) })]),
    ...(pendingSince === undefined ? [] : [say('second_step_awaited', { at: iso(pendingSince) })]),
    ...(removal === null ? [] : [say('second_step_removal', { until: iso(removal) }, 'remove_second_step')]),
    ...(noCodes ? [say('no_recovery_codes', {})] : []),
    ...(change ? [say('email_change_pending', { email: change.email, until: iso(change.until) })] : []),
    ...(undoable === 0 ? [] : [say('email_change_undoable', { until: iso(undoable) })]),
    ...(email_proven_at === null ? [say('email_unproven', {})] : []),
  ];
}

/** Emails of this time are reported one by one. */
const recently = days(7);

async function describeEmails({ store, account, now }: Asked): Promise<GoingOn[]> {
  const suppressed = await findSuppressed(store, account.email);
  const emails = await listEmails(store, { sentSince: now - recently, accountId: account.id });
  const sent = emails.filter(({ sent_at, last_error }) => sent_at !== null && last_error === null);
  const last = sent.at(-1);
  return [
    ...(suppressed
      ? [
          say(
            'email_suppressed',
            {
              ...{ since: iso(suppressed.at), told_by: suppressed.told_by, reason: suppressed.reason },
              words: suppressed.detail,
            },
            'allow_address',
          ),
        ]
      : []),
    ...emails.flatMap((email) => describeEmail(email, { now, again: suppressed ? undefined : 'retry_emails' }) ?? []),
    ...(last ? [say('emails_accepted', { count: sent.length, at: iso(last.sent_at ?? 0), notice: last.notice })] : []),
    ...(emails.length === 0 ? [say('no_emails', {})] : []),
  ];
}

/** Sending it again helps only once its address is allowed. */
function describeEmail(
  { notice, created_at, due_at, sent_at, gave_up_at, last_error }: ListedEmail,
  { now, again }: { readonly now: number; readonly again: NextStep | undefined },
): GoingOn | undefined {
  const written = { notice, at: iso(created_at) };
  const undelivered = { ...written, ...(last_error !== null && { words: last_error }) };
  if (sent_at !== null) return last_error === null ? undefined : say('email_returned', undelivered);
  if (gave_up_at === null) return say('email_waiting', { ...undelivered, until: iso(Math.max(due_at, now)) }, again);
  if (last_error === suppressedReason) return say('email_held_back', written, again);
  return say('email_given_up', undelivered, again);
}

/** The limits that owners meet, with the most units of each key. */
function limitsOf({ config, account: { id, email_key } }: Asked) {
  const hash = sha256(email_key);
  const mails = emailsAnHour(config.RECOVERY_MAILS_PER_ACCOUNT);
  const byRequester = (key: string) => (used: string) => (used === key ? mails.together : mails.bySource);
  const recovery = limitKey('recovery', hash);
  const code = limitKey('code', hash);
  return [
    { code: 'reset_emails_limited', key: recovery, limitFor: byRequester(recovery) },
    { code: 'code_emails_limited', key: code, limitFor: byRequester(code) },
    { code: 'address_changes_limited', key: limitKey('email-change', id), limitFor: () => changeMailsPerHour },
    {
      code: 'confirmation_emails_limited',
      key: limitKey('email-confirmation', hash),
      limitFor: () => confirmationMailsPerPeriod.hour,
    },
  ] as const;
}

async function describeLimits(asked: Asked): Promise<GoingOn[]> {
  const within = hours(1);
  const found: GoingOn[] = [];
  for (const { code, key, limitFor } of limitsOf(asked)) {
    const used = await unitsByKey(asked.store, { key, since: asked.now - within });
    for (const { key: one, units, first } of used) {
      if (Number(units) < limitFor(one)) continue;
      const source = one.slice(key.length + 1);
      // A known device counts by its hash, which says nothing to an operator.
      found.push(say(code, { until: iso(Number(first) + within), ...(/[.:]/.test(source) && { words: source }) }));
    }
  }
  return found;
}

async function describeSessions({ store, account, now }: Asked): Promise<GoingOn[]> {
  const { sessions, activity } = await readAccountData(store, account.id);
  const count = sessions.filter((session) => isLive(session, now)).length;
  const [last] = describeEnds({ sessions, activity, now });
  return [
    count > 0 ? say('signed_in', { count }, 'end_sessions') : say('not_signed_in', {}),
    ...(last
      ? [
          say(last.reason === 'reused' ? 'session_copied' : 'last_session_ended', {
            ...{ device: last.device, ip: last.ip, at: last.ended_at, reason: last.reason },
          }),
        ]
      : []),
  ];
}

/** Joins choices: `a`, `a or b`, `a, b or c`. */
const either = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;

const secrets: Readonly<Record<SignInSecret, string>> = {
  password: 'a password',
  mail_code: 'an emailed code',
  passkey: 'a passkey',
};

/** Why a session ended. */
const endWords: Readonly<Record<EndReason, string>> = {
  no_session: 'unknown',
  expired: 'it expired',
  signed_out: 'the owner signed out on that device, signed in again, or deleted the account there',
  ended_elsewhere: 'ended from another session of the owner, or by an operator',
  email_undone: 'a change of the email address was undone',
  password_changed: 'the password was changed or reset',
  reused: 'a client used an old token, so someone had a copy of the session: it ended for both',
};

const lock = (guessed: string, place: string) => (params: GoingOnParams['locked_by_wrong_passwords']) =>
  `Wrong ${guessed} lock it ${place} until ${params.until}. Wait, or unlock it.`;
const secondStep = 'codes of the second step';
const newBrowsers = 'on devices that the account does not know';
const knownDevice = 'on one known device';
const signedIn = 'in requests of signed-in users to prove their identity';

const limit =
  (what: string) =>
  ({ words, until }: GoingOnParams['reset_emails_limited']) =>
    `The hourly limit of ${what} is reached${words ? ` for requests from ${words}` : ''}, until ${until}. Wait.`;

const ended = ({ device, ip, at, reason }: GoingOnParams['last_session_ended']) =>
  `The last session that ended was on ${device} (${ip}), at ${at}: ${endWords[reason]}.`;

/** The sentence of each code in English, for the API and the command line. */
const goingOnTexts: { readonly [Code in GoingOnCode]: (params: GoingOnParams[Code]) => string } = {
  can_sign_in: ({ methods }) => `The owner can sign in now with ${either(methods.map((one) => secrets[one]))}.`,
  cannot_sign_in: () => 'The owner cannot sign in: an operator locked the account.',
  no_method_left: () =>
    'The owner cannot sign in on a new device now: no method is left. A reset of the password by email sets a password.',
  known_device_works: () => 'On a known device, the password also works.',
  second_step_needed: ({ count }) =>
    `On devices that are not remembered, a sign-in without a passkey needs a second step (${count === 0 ? 'no recovery code is left' : `${count} recovery codes are left`}).`,
  locked_by_operator: ({ since, by, words }) =>
    `Locked since ${since} by ${by}${words ? ` (“${words}”)` : ', without a reason'}. No method works until an operator unlocks it.`,
  locked_by_wrong_passwords: lock('passwords', newBrowsers),
  password_locked_on_known_device: lock('passwords', knownDevice),
  password_locked_for_signed_in: lock('passwords', signedIn),
  second_step_locked_on_new_browsers: lock(secondStep, newBrowsers),
  second_step_locked_on_known_device: lock(secondStep, knownDevice),
  second_step_locked_for_signed_in: lock(secondStep, signedIn),
  deletion_planned: ({ until }) =>
    `It is being deleted: all data is erased at ${until}. A sign-in before then cancels this.`,
  second_step_awaited: ({ at }) =>
    `Someone entered a right password or emailed code at ${at}, and has not passed the second step. If that was not the owner, ask for a new password.`,
  second_step_removal: ({ until }) =>
    `The second step is removed at ${until}, as someone requested who lost it. Any session of the owner, or the link in the email about it, stops that.`,
  no_recovery_codes: () =>
    'No recovery code is left: whoever loses the authenticator app has to request the removal of the second step.',
  email_change_pending: ({ email, until }) =>
    `A change of the address to ${email} waits until ${until} for the link in the email there. Until then the present address stays.`,
  email_change_undoable: ({ until }) =>
    `The address was changed. The link in the email to the former address undoes this until ${until}.`,
  email_unproven: () =>
    'Nobody has proven the address yet. The link in the welcome email or the invitation, or a sign-in by emailed code, does.',
  emails_accepted: ({ count, at, notice }) =>
    `The mail server accepted ${count} of the account’s emails within 7 days without a report of a bounce, the last at ${at} (${notice}). If the owner does not see them, look in the folder for spam.`,
  no_emails: () => 'The account got no email within 7 days.',
  email_suppressed: ({ since, told_by, reason, words }) =>
    `No email is sent to the address since ${since}: ${told_by} reported ${reason}: “${words}”. Ask the owner whether the mailbox works, then allow it again.`,
  email_returned: ({ notice, at, words }) => `The email ${notice} of ${at} was sent, then: ${words}`,
  email_waiting: ({ notice, at, until, words }) =>
    `The email ${notice} of ${at} waits until ${until} for its ${words ? `next attempt; the last one: ${words}` : 'first attempt.'}`,
  email_held_back: ({ notice, at }) => `The email ${notice} of ${at} was not sent: its address was suppressed then.`,
  email_given_up: ({ notice, at, words }) => `The email ${notice} of ${at} was given up: ${words}`,
  reset_emails_limited: limit('emails to reset the password'),
  code_emails_limited: limit('emailed codes to sign in'),
  address_changes_limited: limit('emails to change the address'),
  confirmation_emails_limited: limit('emails to prove the address'),
  signed_in: ({ count }) => `Signed in on ${count} ${count === 1 ? 'device' : 'devices'}.`,
  not_signed_in: () => 'Signed in nowhere.',
  session_copied: ended,
  last_session_ended: ended,
};

interface History {
  readonly sessions: readonly SessionsTable[];
  readonly activity: readonly ActivityTable[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** When and why the sessions of an account ended, the newest end first, and who ended each, if that is recorded. */
export const describeEnds = ({ sessions, activity, now }: History) =>
  sessions
    .filter((session) => !isLive(session, now))
    .map((session) => describeEnd(session, activity))
    .toSorted((one, other) => other.ended_at.localeCompare(one.ended_at));

function describeEnd(session: SessionsTable, activity: readonly ActivityTable[]) {
  const { id, created_at, rotated_at, expires_at, ended_at, end_reason, ip, user_agent } = session;
  const idle = idleLifetimeOf(session);
  const idleUntil = rotated_at + idle;
  const at = ended_at ?? Math.min(idleUntil, expires_at);
  const reason = end_reason ?? 'expired';
  const unused =
    idleUntil < expires_at
      ? `it was not used for ${session.shared ? `${idle / minutes(1)} minutes, on a shared computer` : `${idle / days(1)} days`}`
      : `it reached its limit of ${sessionLifetime / days(1)} days`;
  // The activity that ended a session has exactly the same timestamp.
  const by = activity.filter((line) => line.at === ended_at);
  return {
    session: id,
    began_at: iso(created_at),
    last_seen_at: iso(rotated_at),
    ended_at: iso(at),
    device: deviceName(user_agent),
    ip,
    reason,
    why: end_reason === null ? unused : endWords[reason],
    /** Who ended it, if recorded. */
    by: by.map((line) => ({ at: iso(line.at), kind: line.kind, ip: line.ip, device: deviceName(line.user_agent) })),
  };
}
