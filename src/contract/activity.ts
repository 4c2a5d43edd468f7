/** Events of an account that its owner can read. */
export type ActivityKind =
  | 'registered'
  | 'signed_in'
  | 'signed_out'
  | 'recovery_requested'
  | 'password_reset'
  | 'password_changed'
  | 'password_removed'
  | 'passkey_added'
  | 'passkey_removed'
  /** Its counter went back, so it may have been copied. */
  | 'passkey_copied'
  /** Its authenticator now says otherwise whether it can be copied to other devices. */
  | 'passkey_changed'
  | 'enrolment_key_added'
  | 'enrolment_key_revoked'
  | 'account_changed'
  | 'offers_changed'
  | 'session_ended'
  | 'sessions_ended'
  /** The first sign-in to an application, or one that allowed it more. */
  | 'app_connected'
  | 'app_disconnected'
  /** Signed a device in that showed a code. */
  | 'device_let_in'
  | 'phone_changed'
  | 'email_changed'
  | 'email_change_undone'
  | 'exported'
  /** An operator looked at the account. */
  | 'viewed'
  | 'deletion_requested'
  | 'deletion_taken_back'
  | 'authenticator_added'
  | 'authenticator_removed'
  | 'recovery_codes_renewed'
  | 'recovery_code_used'
  | 'second_step_removal_requested'
  /** The requested removal was stopped. */
  | 'second_step_kept'
  /** The requested removal took effect. */
  | 'second_step_removed'
  | 'remembered_devices_forgotten'
  | 'refresh_reused'
  /** A code or refresh token of an application was used again, so it may have been copied. */
  | 'app_reused'
  /** A lost response was repeated after its grace period. */
  | 'refresh_repeated'
  /** A token was newer than the database, which had been restored from a backup. */
  | 'refresh_adopted';

/** Stands for an unknown browser; people see words instead. */
export const unknownBrowser = '–';
