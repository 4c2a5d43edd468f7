import type { UnprovenLimit } from '../store/emails/suppression-list.ts';
import { accountCleared, accountDeleted, deletionCanceled, deletionPlanned, registered } from './notices/account.ts';
import {
  confirmMail,
  emailChange,
  emailChanged,
  emailChangeUndone,
  emailConfirmation,
  phoneChanged,
} from './notices/address.ts';
import { alarm, alarmTest, computerAdded } from './notices/computers.ts';
import {
  passkeyAdded,
  passkeyCopied,
  passkeyRemoved,
  passwordChanged,
  passwordRemoved,
  recovery,
  recoveryCodesLow,
} from './notices/credentials.ts';
import { newDevice, secondStepChanged, secondStepRemoval, sessionReused, signInCode } from './notices/sign-in.ts';

/** Every notice and its text. A new one needs its text in a file of `notices/`, a line here, and its policy below. */
export const notices = {
  recovery,
  password_changed: passwordChanged,
  session_reused: sessionReused,
  new_device: newDevice,
  phone_changed: phoneChanged,
  email_change: emailChange,
  email_changed: emailChanged,
  email_change_undone: emailChangeUndone,
  email_confirmation: emailConfirmation,
  deletion_planned: deletionPlanned,
  deletion_canceled: deletionCanceled,
  account_cleared: accountCleared,
  account_deleted: accountDeleted,
  registered,
  sign_in_code: signInCode,
  confirm_mail: confirmMail,
  computer_added: computerAdded,
  alarm,
  alarm_test: alarmTest,
  passkey_added: passkeyAdded,
  passkey_removed: passkeyRemoved,
  passkey_copied: passkeyCopied,
  password_removed: passwordRemoved,
  second_step_changed: secondStepChanged,
  second_step_removal: secondStepRemoval,
  recovery_codes_low: recoveryCodesLow,
} as const;

export type NoticeName = keyof typeof notices;

/** A notice with the parameters of its text. */
export type AnyNotice = {
  [Name in NoticeName]: { readonly notice: Name; readonly params: Parameters<(typeof notices)[Name]>[1] };
}[NoticeName];

export const noticeNames = Object.keys(notices) as NoticeName[];

/** Delivery rules of a notice, beyond the common ones. */
interface Policy {
  /** A person is waiting for it, so it leaves before informational emails. */
  readonly urgent?: true;
  /** Proves that someone reads the address, so it is sent even to an address on the suppression list. */
  readonly ignoresSuppression?: true;
  /** Its link undoes a theft, so to an unproven address it has a limit of its own. */
  readonly hasUndoLink?: true;
  /** Useless a day later: once given up, it is never sent again. */
  readonly shortLived?: true;
  /** Once given up, it is sent again only while its reset link works. */
  readonly hasResetLink?: true;
  /** May happen many times an hour: `enqueueBatched` puts further events into the same email. */
  readonly gathered?: true;
}

const policies = {
  recovery: { urgent: true, hasResetLink: true },
  password_changed: {},
  session_reused: {},
  new_device: { gathered: true },
  phone_changed: {},
  email_change: { urgent: true, ignoresSuppression: true },
  email_changed: { hasUndoLink: true },
  email_change_undone: { urgent: true, hasResetLink: true },
  email_confirmation: { urgent: true },
  deletion_planned: {},
  deletion_canceled: {},
  account_cleared: {},
  account_deleted: {},
  registered: {},
  sign_in_code: { urgent: true, shortLived: true },
  confirm_mail: { urgent: true, shortLived: true },
  computer_added: { gathered: true },
  alarm: { gathered: true },
  alarm_test: { shortLived: true },
  passkey_added: {},
  passkey_removed: {},
  passkey_copied: {},
  password_removed: {},
  second_step_changed: {},
  second_step_removal: { urgent: true },
  recovery_codes_low: {},
} as const satisfies Record<NoticeName, Policy>;

/** The notices whose policy has this rule. */
export type NoticeWith<Rule extends keyof Policy> = {
  [Name in NoticeName]: (typeof policies)[Name] extends Required<Pick<Policy, Rule>> ? Name : never;
}[NoticeName];

export const noticesWith = (rule: keyof Policy): NoticeName[] => noticeNames.filter((name) => rule in policies[name]);

export const isUrgent = (name: NoticeName): boolean => 'urgent' in policies[name];

/** The limit of an unproven address that may drop it. Emails that a person waits for have limits of their own. */
export function unprovenLimitOf(name: NoticeName): UnprovenLimit | undefined {
  if (isUrgent(name)) return undefined;
  return 'hasUndoLink' in policies[name] ? 'undo-links-to' : 'notices-to';
}

export const ignoresSuppression = (notice: string): boolean =>
  isNoticeName(notice) && 'ignoresSuppression' in policies[notice];

/**
 * Whether a suppressed address gets one a day: otherwise its owner could not get in until the address is off the list.
 */
export const goesOnceADay = (notice: string): boolean => notice === ('recovery' satisfies NoticeName);

export const isNoticeName = (name: string): name is NoticeName => Object.hasOwn(notices, name);
