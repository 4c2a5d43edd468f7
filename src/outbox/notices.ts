import { accountCleared } from './notices/account-cleared.ts';
import { accountDeleted } from './notices/account-deleted.ts';
import { computerAdded } from './notices/computer-added.ts';
import { confirmMail } from './notices/confirm-mail.ts';
import { deletionCanceled } from './notices/deletion-canceled.ts';
import { deletionPlanned } from './notices/deletion-planned.ts';
import { emailChange } from './notices/email-change.ts';
import { emailChangeUndone } from './notices/email-change-undone.ts';
import { emailChanged } from './notices/email-changed.ts';
import { newDevice } from './notices/new-device.ts';
import { passwordChanged } from './notices/password-changed.ts';
import { phoneChanged } from './notices/phone-changed.ts';
import { recovery } from './notices/recovery.ts';
import { registered } from './notices/registered.ts';
import { sessionReused } from './notices/session-reused.ts';
import { signInCode } from './notices/sign-in-code.ts';

/** Every notice and its text. A further one is a file in `notices/` and a line here. */
export const notices = {
  recovery,
  password_changed: passwordChanged,
  session_reused: sessionReused,
  new_device: newDevice,
  phone_changed: phoneChanged,
  email_change: emailChange,
  email_changed: emailChanged,
  email_change_undone: emailChangeUndone,
  deletion_planned: deletionPlanned,
  deletion_canceled: deletionCanceled,
  account_cleared: accountCleared,
  account_deleted: accountDeleted,
  registered,
  sign_in_code: signInCode,
  confirm_mail: confirmMail,
  computer_added: computerAdded,
} as const;

export type NoticeName = keyof typeof notices;

/** A notice with the parameters that its text asks for. */
export type AnyNotice = {
  [Name in NoticeName]: { readonly notice: Name; readonly params: Parameters<(typeof notices)[Name]>[1] };
}[NoticeName];

export const noticeNames = Object.keys(notices) as NoticeName[];

/** Somebody waits for these, so they go before all that only tells. */
const urgentNotices: readonly NoticeName[] = [
  'recovery',
  'sign_in_code',
  'confirm_mail',
  'email_change',
  'email_change_undone',
];

export const isUrgent = (name: NoticeName): boolean => urgentNotices.includes(name);

/** What shows that an address is read, as its owner asks for: also where letters have come back. */
export const goesAnyway = (notice: string): boolean => notice === ('email_change' satisfies NoticeName);

/** Whether one a day goes to such an address: else its owner could not get in until the list forgets it. */
export const goesOnceADay = (notice: string): boolean => notice === ('recovery' satisfies NoticeName);

export const isNoticeName = (name: string): name is NoticeName => Object.hasOwn(notices, name);
