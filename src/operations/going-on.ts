import type { GoingOnCode, GoingOnParams, SignInSecret } from '../contract/console.ts';
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
import { goingOnTexts } from './going-on-texts.ts';
import { actorNames } from './operation.ts';
import { describeEnds } from './session-ends.ts';

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
  const methods: readonly SignInSecret[] = [
    ...(password && !usesGuesses ? (['password'] as const) : []),
    ...(config.MAIL_CODE_SIGN_IN === 'on' && !isSuppressed ? (['mail_code'] as const) : []),
    ...(passkeys > 0 ? (['passkey'] as const) : []),
  ];
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
