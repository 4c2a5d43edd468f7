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

/** What an entry of the audit log is: a view of data, a change for people, or one of the service itself. */
export const auditKinds = ['views', 'changes', 'settings'] as const;

export type AuditKind = (typeof auditKinds)[number];

/** Actions of operators, as the audit log names them. */
const operatorActions = {
  accounts_found: 'views',
  account_viewed: 'views',
  devices_viewed: 'views',
  contact_revealed: 'views',
  account_exported: 'views',
  audit_exported: 'views',
  account_created: 'changes',
  account_changed: 'changes',
  account_locked: 'changes',
  account_unlocked: 'changes',
  account_deleted: 'changes',
  deletion_planned: 'changes',
  sessions_ended: 'changes',
  reset_sent: 'changes',
  emails_resent: 'changes',
  email_change_requested: 'changes',
  passkey_removed: 'changes',
  second_step_removal_requested: 'changes',
  second_step_removed: 'changes',
  note_added: 'changes',
  group_added: 'changes',
  group_removed: 'changes',
  job_begun: 'changes',
  job_stopped: 'changes',
  import_started: 'changes',
  import_finished: 'changes',
  address_allowed: 'changes',
  emails_retried: 'changes',
  webhooks_retried: 'changes',
  settings_changed: 'settings',
  keys_rotated: 'settings',
  keys_resealed: 'settings',
  promo_code_added: 'settings',
  client_added: 'settings',
  client_changed: 'settings',
  client_removed: 'settings',
  client_secret_added: 'settings',
  client_secret_dropped: 'settings',
  client_doubted: 'settings',
  client_confirmed: 'settings',
  webhook_added: 'settings',
  webhook_changed: 'settings',
  webhook_removed: 'settings',
  webhook_secret_added: 'settings',
  webhook_secret_dropped: 'settings',
  webhook_tested: 'settings',
  webhook_doubted: 'settings',
  webhooks_enabled: 'settings',
  operator_invited: 'settings',
  operator_invitation_revoked: 'settings',
  operator_added: 'settings',
  operator_role_changed: 'settings',
  operator_removed: 'settings',
  operator_key_added: 'settings',
  operator_key_revoked: 'settings',
  database_backed_up: 'settings',
  database_restored: 'settings',
  database_migrated: 'settings',
} as const satisfies Record<string, AuditKind>;

export type OperatorAction = keyof typeof operatorActions;

export const actionsOf = (kind: AuditKind): readonly OperatorAction[] =>
  (Object.keys(operatorActions) as OperatorAction[]).filter((action) => operatorActions[action] === kind);
