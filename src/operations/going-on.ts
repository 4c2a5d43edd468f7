import { days, hours, iso } from '../contract/units.ts';
import { changeMailsPerHour, confirmationMailsPerPeriod } from '../journeys/account/contacts/change-email.ts';
import { isPassword } from '../security/imported-hashes.ts';
import { sha256 } from '../security/macs.ts';
import { lockoutsOf } from '../store/access/lockouts.ts';
import { countPasskeys } from '../store/access/passkeys.ts';
import { countRecoveryCodes } from '../store/access/recovery-codes.ts';
import { removalDueAt, signInPendingSince } from '../store/access/second-step.ts';
import { isLive } from '../store/access/sessions.ts';
import { needsSecondStep } from '../store/access/sign-in-lookup.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { readAccountData } from '../store/accounts/delete-account.ts';
import { pendingEmailChange, undoableUntil } from '../store/accounts/email-changes.ts';
import type { Store } from '../store/database.ts';
import { emailsAnHour } from '../store/emails/email-rate-limits.ts';
import { suppressedReason } from '../store/emails/outbox.ts';
import { type ListedEmail, listEmails } from '../store/emails/outbox-review.ts';
import { findSuppressed } from '../store/emails/suppression-list.ts';
import { listAuditEntries } from '../store/operators/audit-log.ts';
import { limitKey, unitsByKey } from '../store/rate-limits.ts';
import { describeEnds } from './session-ends.ts';

/** What an operator can do about it. */
export type NextStep = 'unlock' | 'allow_address' | 'retry_emails' | 'end_sessions' | 'remove_second_step';

/** Something that is going on with an account: one sentence for an operator, who may have the owner on the phone. */
export interface GoingOn {
  readonly code: string;
  readonly text: string;
  /** ISO 8601: when it ends by itself. */
  readonly until?: string;
  readonly action?: NextStep;
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
    await describeSignIn(asked, locks),
    ...locks,
    ...(await describePending(asked)),
    ...(await describeEmails(asked)),
    ...(await describeLimits(asked)),
    ...(await describeSessions(asked)),
  ];
}

/** Joins choices: `a`, `a or b`, `a, b or c`. */
const either = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;

async function describeSignIn({ store, config, account }: Asked, locks: readonly GoingOn[]): Promise<GoingOn> {
  const lock = locks.find(({ code }) => code === 'locked_by_operator');
  if (lock) return { code: 'cannot_sign_in', text: 'The owner cannot sign in: an operator locked the account.' };
  const isSuppressed = (await findSuppressed(store, account.email)) !== undefined;
  const passkeys = config.relyingParty ? await countPasskeys(store, account.id) : 0;
  const usesGuesses = locks.find(({ code }) => code === 'locked_by_wrong_passwords');
  const password = isPassword(account.password_hash);
  const methods = [
    ...(password && !usesGuesses ? ['a password'] : []),
    ...(config.MAIL_CODE_SIGN_IN === 'on' && !isSuppressed ? ['an emailed code'] : []),
    ...(passkeys > 0 ? ['a passkey'] : []),
  ];
  const elsewhere = usesGuesses && password ? ' On a known device, the password also works.' : '';
  if (methods.length === 0)
    return {
      code: 'cannot_sign_in',
      text: `The owner cannot sign in on a new device now: no method is left.${elsewhere || ' A reset of the password by email sets a password.'}`,
    };
  return {
    code: 'can_sign_in',
    text: `The owner can sign in now with ${either(methods)}${await secondStepOf({ store, config, account })}.${elsewhere}`,
  };
}

async function secondStepOf({ store, config, account }: Omit<Asked, 'now'>): Promise<string> {
  if (!needsSecondStep({ config }, account)) return '';
  const left = await countRecoveryCodes(store, account.id);
  const codes = left === 0 ? 'no recovery code is left' : `${left} recovery codes are left`;
  return `, and without a passkey then needs a second step on devices that are not remembered (${codes})`;
}

const places = {
  new_browsers: 'on devices that the account does not know',
  known_device: 'on one known device',
  signed_in: 'in requests of signed-in users to prove their identity',
} as const;

async function describeLocks({ store, account, now }: Asked): Promise<GoingOn[]> {
  const { id, email_key, locked_at } = account;
  const found: GoingOn[] = [];
  if (locked_at !== null) {
    const entries = await listAuditEntries(store, { accountId: id, max: 100 });
    const entry = entries.find(({ action }) => action === 'account_locked');
    const by = entry ? ` by ${entry.actor}${entry.reason ? ` (“${entry.reason}”)` : ', without a reason'}` : '';
    found.push({
      code: 'locked_by_operator',
      text: `Locked since ${iso(locked_at)}${by}. No method works until an operator unlocks it.`,
      action: 'unlock',
    });
  }
  for (const { of, on, until } of await lockoutsOf(store, { emailHash: sha256(email_key), accountId: id, now })) {
    const guessed = of === 'password' ? 'passwords' : 'codes of the second step';
    const isMain = of === 'password' && on === 'new_browsers';
    found.push({
      code: isMain ? 'locked_by_wrong_passwords' : `${of}_locked_${on === 'signed_in' ? 'for_signed_in' : `on_${on}`}`,
      text: `Wrong ${guessed} lock it ${places[on]} until ${iso(until)}. Wait, or unlock it.`,
      until: iso(until),
      action: 'unlock',
    });
  }
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
    ...(delete_at === null
      ? []
      : [
          {
            code: 'deletion_planned',
            text: `The owner deleted it: all data is erased at ${iso(delete_at)}. A sign-in before then cancels this.`,
            until: iso(delete_at),
          },
        ]),
    ...(pendingSince === undefined
      ? []
      : [
          {
            code: 'second_step_awaited',
            text: `Someone entered a right password or emailed code at ${iso(pendingSince)}, and has not passed the second step. If that was not the owner, ask for a new password.`,
          },
        ]),
    ...(removal === null
      ? []
      : [
          {
            code: 'second_step_removal',
            text: `The second step is removed at ${iso(removal)}, as someone requested who lost it. Any session of the owner, or the link in the email about it, stops that.`,
            until: iso(removal),
            action: 'remove_second_step' as const,
          },
        ]),
    ...(noCodes
      ? [
          {
            code: 'no_recovery_codes',
            text: 'No recovery code is left: whoever loses the authenticator app has to request the removal of the second step.',
          },
        ]
      : []),
    ...(change
      ? [
          {
            code: 'email_change_pending',
            text: `A change of the address to ${change.email} waits until ${iso(change.until)} for the link in the email there. Until then the present address stays.`,
            until: iso(change.until),
          },
        ]
      : []),
    ...(undoable === 0
      ? []
      : [
          {
            code: 'email_change_undoable',
            text: `The address was changed. The link in the email to the former address undoes this until ${iso(undoable)}.`,
            until: iso(undoable),
          },
        ]),
    ...(email_proven_at === null
      ? [
          {
            code: 'email_unproven',
            text: 'Nobody has proven the address yet. The link in the welcome email, or a sign-in by emailed code, does.',
          },
        ]
      : []),
  ];
}

/** Emails of this time are reported one by one. */
const recently = days(7);

async function describeEmails({ store, account, now }: Asked): Promise<GoingOn[]> {
  const suppressed = await findSuppressed(store, account.email);
  const emails = await listEmails(store, { sentSince: now - recently, accountId: account.id });
  const sent = emails.filter(({ sent_at, last_error }) => sent_at !== null && last_error === null);
  const last = sent.at(-1);
  const arrived = last && {
    code: 'emails_accepted',
    text: `The mail server accepted ${sent.length} of the account’s emails within 7 days without a report of a bounce, the last at ${iso(last.sent_at ?? 0)} (${last.notice}). If the owner does not see them, look in the folder for spam.`,
  };
  return [
    ...(suppressed
      ? [
          {
            code: 'email_suppressed',
            text: `No email is sent to the address since ${iso(suppressed.at)}: ${suppressed.told_by} reported ${suppressed.reason}: “${suppressed.detail}”. Ask the owner whether the mailbox works, then allow it again.`,
            action: 'allow_address' as const,
          },
        ]
      : []),
    ...emails.flatMap((email) => describeEmail(email) ?? []),
    ...(arrived ? [arrived] : []),
    ...(emails.length === 0 ? [{ code: 'no_emails', text: 'The account got no email within 7 days.' }] : []),
  ];
}

function describeEmail({ notice, created_at, sent_at, gave_up_at, last_error }: ListedEmail): GoingOn | undefined {
  const written = `The email ${notice} of ${iso(created_at)}`;
  if (sent_at !== null)
    return last_error === null
      ? undefined
      : { code: 'email_returned', text: `${written} was sent, then: ${last_error}` };
  if (gave_up_at === null) {
    const because = last_error === null ? 'the first attempt is still ahead' : `the last attempt: ${last_error}`;
    return { code: 'email_waiting', text: `${written} waits; ${because}.`, action: 'retry_emails' };
  }
  if (last_error === suppressedReason) return { code: 'email_held_back', text: `${written} was not sent: suppressed.` };
  return { code: 'email_given_up', text: `${written} was given up: ${last_error}`, action: 'retry_emails' };
}

/** The limits that owners meet, with the most units of each key. */
function limitsOf({ config, account: { id, email_key } }: Asked) {
  const hash = sha256(email_key);
  const mails = emailsAnHour(config.RECOVERY_MAILS_PER_ACCOUNT);
  const byRequester = (key: string) => (used: string) => (used === key ? mails.together : mails.bySource);
  const recovery = limitKey('recovery', hash);
  const code = limitKey('code', hash);
  return [
    {
      code: 'reset_emails_limited',
      what: 'emails to reset the password',
      key: recovery,
      limitFor: byRequester(recovery),
    },
    { code: 'code_emails_limited', what: 'emailed codes to sign in', key: code, limitFor: byRequester(code) },
    {
      code: 'address_changes_limited',
      what: 'emails to change the address',
      key: limitKey('email-change', id),
      limitFor: () => changeMailsPerHour,
    },
    {
      code: 'confirmation_emails_limited',
      what: 'emails to prove the address',
      key: limitKey('email-confirmation', hash),
      limitFor: () => confirmationMailsPerPeriod.hour,
    },
  ];
}

async function describeLimits(asked: Asked): Promise<GoingOn[]> {
  const within = hours(1);
  const found: GoingOn[] = [];
  for (const { code, what, key, limitFor } of limitsOf(asked)) {
    const used = await unitsByKey(asked.store, { key, since: asked.now - within });
    for (const { key: one, units, first } of used) {
      if (Number(units) < limitFor(one)) continue;
      const source = one.slice(key.length + 1);
      // A known device counts by its hash.
      const from = one === key ? '' : ` for requests from ${/[.:]/.test(source) ? source : 'one known device'}`;
      const until = iso(Number(first) + within);
      found.push({ code, text: `The hourly limit of ${what} is reached${from}, until ${until}. Wait.`, until });
    }
  }
  return found;
}

async function describeSessions({ store, account, now }: Asked): Promise<GoingOn[]> {
  const { sessions, activity } = await readAccountData(store, account.id);
  const live = sessions.filter((session) => isLive(session, now)).length;
  const [last] = describeEnds({ sessions, activity, now });
  return [
    {
      code: live > 0 ? 'signed_in' : 'not_signed_in',
      text: live > 0 ? `Signed in on ${live} ${live === 1 ? 'device' : 'devices'}.` : 'Signed in nowhere.',
      ...(live > 0 && { action: 'end_sessions' as const }),
    },
    ...(last
      ? [
          {
            code: last.reason === 'reused' ? 'session_copied' : 'last_session_ended',
            text: `The last session that ended was on ${last.device} (${last.ip}), at ${last.ended_at}: ${last.why}.`,
          },
        ]
      : []),
  ];
}
