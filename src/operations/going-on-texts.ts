import type { GoingOnCode, GoingOnParams, SignInSecret } from '../contract/console.ts';
import type { EndReason } from '../contract/failures.ts';

/** Joins choices: `a`, `a or b`, `a, b or c`. */
const either = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;

const secrets: Readonly<Record<SignInSecret, string>> = {
  password: 'a password',
  mail_code: 'an emailed code',
  passkey: 'a passkey',
};

/** Why a session ended. */
export const endWords: Readonly<Record<EndReason, string>> = {
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
export const goingOnTexts: { readonly [Code in GoingOnCode]: (params: GoingOnParams[Code]) => string } = {
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
