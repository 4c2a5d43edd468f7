import type { Store } from '../database.ts';
import { orderedId } from '../database.ts';

/** Actions of operators. */
export type OperatorAction =
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
  | 'keys_rotated'
  | 'keys_resealed'
  | 'promo_code_added'
  | 'client_added'
  | 'client_changed'
  | 'client_removed'
  | 'client_secret_added'
  | 'client_secret_dropped'
  | 'group_added'
  | 'group_removed'
  | 'import_started'
  | 'import_finished'
  | 'database_backed_up'
  | 'database_restored'
  | 'database_migrated';

/** Append-only, and kept forever: the log outlives the accounts that it names. */
export interface AuditLogTable {
  /** UUID version 7: sorts by time. */
  id: string;
  at: number;
  /** A user of the operating system, or an operator's account. */
  actor: string;
  /** The machine, and the address behind a remote terminal. */
  origin: string;
  action: OperatorAction;
  account_id: string | null;
  /** The object of the action, without a full address: the entry may outlive the owner's account. */
  subject: string;
  reason: string | null;
}

declare module '../database.ts' {
  interface Database {
    audit_log: AuditLogTable;
  }
}

export type AuditEntry = Omit<AuditLogTable, 'id'>;

export const addAuditEntry = (store: Store, entry: AuditEntry) =>
  store
    .insertInto('audit_log')
    .values({ id: orderedId(), ...entry })
    .execute();

/** Entries of the audit log, the newest first. */
export const listAuditEntries = (
  store: Store,
  { accountId, since, max }: { accountId?: string | undefined; since?: number | undefined; max: number },
) =>
  store
    .selectFrom('audit_log')
    .selectAll()
    .$if(accountId !== undefined, (rows) => rows.where('account_id', '=', accountId ?? ''))
    .$if(since !== undefined, (rows) => rows.where('at', '>=', since ?? 0))
    .orderBy('id', 'desc')
    .limit(max)
    .execute();
