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
