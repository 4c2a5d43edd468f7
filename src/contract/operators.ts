/** What operators and their keys may do, each role also what those before it may. */
export const operatorRoles = ['viewer', 'support', 'owner'] as const;

export type OperatorRole = (typeof operatorRoles)[number];

/** An API key never manages operators or keys. */
export const keyRoles = ['viewer', 'support'] as const satisfies readonly OperatorRole[];

export type KeyRole = (typeof keyRoles)[number];

export const isRoleEnough = (has: OperatorRole, needs: OperatorRole): boolean =>
  operatorRoles.indexOf(has) >= operatorRoles.indexOf(needs);

/** Whether a role sees addresses and phone numbers unmasked. */
export const seesContacts = (role: OperatorRole): boolean => isRoleEnough(role, 'support');

/** A key for the management API begins with it, so that scanners of code find leaked ones. */
export const operatorKeyPrefix = 'vop_';

/** Whether a command, an operator in the console, an API key or the service itself acted. */
export const actorKinds = ['command', 'operator', 'key', 'service'] as const;

export type ActorKind = (typeof actorKinds)[number];

/** What operators do for many people at once. */
export const bulkActs = ['lock', 'unlock', 'end_sessions', 'reset', 'resend', 'delete'] as const;

export type BulkAct = (typeof bulkActs)[number];

/** Why a job stops for everyone left: what its operator or key has lost. */
export const jobStops = ['role', 'account', 'password', 'key'] as const;
export type JobStop = (typeof jobStops)[number];

/** Actions of operators, as the audit log names them. */
export type OperatorAction =
  | 'accounts_found'
  | 'account_viewed'
  | 'devices_viewed'
  | 'contact_revealed'
  | 'account_created'
  | 'account_changed'
  | 'reset_sent'
  | 'emails_resent'
  | 'email_change_requested'
  | 'note_added'
  | 'job_begun'
  | 'job_stopped'
  | 'settings_changed'
  | 'deletion_planned'
  | 'account_locked'
  | 'account_unlocked'
  | 'account_deleted'
  | 'account_exported'
  | 'passkey_removed'
  | 'sessions_ended'
  | 'second_step_removal_requested'
  | 'second_step_removed'
  | 'address_allowed'
  | 'emails_retried'
  | 'webhooks_retried'
  | 'webhooks_enabled'
  | 'webhook_added'
  | 'webhook_changed'
  | 'webhook_removed'
  | 'webhook_secret_added'
  | 'webhook_secret_dropped'
  | 'webhook_tested'
  | 'webhook_doubted'
  | 'keys_rotated'
  | 'keys_resealed'
  | 'promo_code_added'
  | 'client_added'
  | 'client_changed'
  | 'client_removed'
  | 'client_secret_added'
  | 'client_secret_dropped'
  | 'client_doubted'
  | 'client_confirmed'
  | 'group_added'
  | 'group_removed'
  | 'operator_invited'
  | 'operator_invitation_revoked'
  | 'operator_added'
  | 'operator_role_changed'
  | 'operator_removed'
  | 'operator_key_added'
  | 'operator_key_revoked'
  | 'import_started'
  | 'import_finished'
  | 'audit_exported'
  | 'database_backed_up'
  | 'database_restored'
  | 'database_migrated';
