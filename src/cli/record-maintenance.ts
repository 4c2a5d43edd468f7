import { audit } from '../operations/operation.ts';
import { type DatabaseSettings, openStore, type Store } from '../store/database.ts';
import type { OperatorAction } from '../store/operators/audit-log.ts';
import type { Environment } from './command.ts';
import { operationOf } from './operator.ts';

interface Maintenance {
  readonly now: number;
  readonly environment: Environment;
  readonly options: Readonly<Record<string, unknown>>;
  readonly action: OperatorAction & `database_${string}`;
  /** What was written, or from where. */
  readonly subject: string;
}

/**
 * Adds an entry to the audit log of a database, unless its tables are older than the log. Returns an addition to the
 * output of the command if that fails, as on a full disk: a backup is complete without its entry.
 */
export async function recordMaintenance(
  database: DatabaseSettings,
  { action, subject, ...command }: Maintenance,
): Promise<string> {
  const store = openStore(database);
  try {
    if (await hasAuditLog(store)) await audit(store, operationOf({ store, ...command }), { action, subject });
    return '';
  } catch (error) {
    return `; not in the audit log: ${(error as Error).message}`;
  } finally {
    await store.destroy();
  }
}

async function hasAuditLog(store: Store): Promise<boolean> {
  const tables = await store.introspection.getTables();
  return tables.some(({ name }) => name === 'audit_log');
}
