import { actionsOf, auditKinds, type OperatorAction } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';

/** Actions that the owner of an account reads in the same words, or that are another one. */
const sharedWords = {
  account_changed: 'account.did_account_changed',
  emails_resent: 'console_action.emails_retried',
  deletion_planned: 'account.did_deletion_requested',
  passkey_removed: 'account.did_passkey_removed',
  second_step_removal_requested: 'account.did_second_step_removal_requested',
  second_step_removed: 'account.did_second_step_removed',
} as const satisfies Partial<Record<OperatorAction, MessageId>>;

type ActionWithText = Exclude<OperatorAction, keyof typeof sharedWords>;

/** The text of each action in the audit log. */
export const actionWords: Readonly<Record<string, MessageId>> = {
  ...Object.fromEntries(
    auditKinds.flatMap(actionsOf).map((action) => [action, `console_action.${action as ActionWithText}` as const]),
  ),
  ...sharedWords,
};

/** Each email by its subject, which its recipient may read out on the telephone. */
export const noticeSubjects: Readonly<Record<string, MessageId>> = {
  recovery: 'mail.recovery.subject',
  invitation: 'mail.invitation.subject',
  password_changed: 'mail.password_changed.subject',
  session_reused: 'mail.session_reused.subject',
  new_device: 'mail.new_device.subject',
  device_let_in: 'mail.device_let_in.subject',
  phone_changed: 'mail.phone_changed.subject',
  email_change: 'mail.email_change.subject',
  email_changed: 'mail.email_changed.subject',
  email_change_undone: 'mail.email_change_undone.subject',
  email_confirmation: 'mail.email_confirmation.subject',
  deletion_planned: 'mail.deletion_planned.subject',
  deletion_canceled: 'mail.deletion_canceled.subject',
  account_cleared: 'mail.account_cleared.subject',
  account_deleted: 'mail.account_deleted.subject',
  registered: 'mail.registered.subject',
  sign_in_code: 'mail.sign_in_code.subject',
  confirm_mail: 'mail.confirm_mail.subject',
  passkey_added: 'mail.passkey_added.subject',
  passkey_removed: 'mail.passkey_removed.subject',
  passkey_copied: 'mail.passkey_copied.subject',
  passkey_changed: 'mail.passkey_changed.subject',
  password_removed: 'mail.password_removed.subject',
  second_step_changed: 'mail.second_step_changed.subject',
  second_step_removal: 'mail.second_step_removal.subject',
  recovery_codes_low: 'mail.recovery_codes_low.subject',
  computer_added: 'mail.computer_added.subject',
  enrolment_key_added: 'mail.enrolment_key.subject',
  // Its subject says what happened to which devices.
  incident: 'account_alarms.page',
  alarm_test: 'mail.alarm_test.subject',
};

/** What the owner's notifications say, about the device `name`. */
export const alarmWords: Readonly<Record<string, MessageId>> = {
  computer_added: 'dashboard.notice_added',
  computer_removed: 'dashboard.notice_removed',
  computer_silent: 'dashboard.notice_silent',
  disk_low: 'dashboard.notice_disk',
  battery_low: 'dashboard.notice_battery',
  computer_stopped: 'dashboard.notice_stopped',
  record: 'dashboard.notice_record',
  disk_high: 'dashboard.notice_value',
  memory_low: 'dashboard.notice_value',
  memory_high: 'dashboard.notice_value',
  battery_high: 'dashboard.notice_value',
  alarm_test: 'dashboard.notice_test',
};
