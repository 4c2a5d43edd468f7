import type { DatabaseSync } from 'node:sqlite';
import { openStatements, type Statements } from './statements.ts';

/** The one connection that reads, and never waits. */
export interface Reader {
  readonly read: Statements;
  /** Something is about to be committed, which whoever reads afterwards will see. */
  renew(): void;
}

/** What is read within a turn of the event loop shares a transaction: the file's locks cost more than most answers. */
export function openReader(database: DatabaseSync): Reader {
  const run = openStatements(database);
  const exec = (sql: string) => run({ sql, parameters: [] });

  let isRenewalDue = false;

  function renew(): void {
    if (database.isOpen && database.isTransaction) exec('commit');
  }

  /** A disk that cannot be read is told whoever reads next, for whom this is tried again; nobody waits for it here. */
  function renewUnasked(): void {
    isRenewalDue = false;
    try {
      renew();
    } catch {
      // Still in its transaction.
    }
  }

  return {
    read(query) {
      if (!isRenewalDue) renew();
      if (!database.isTransaction) exec('begin');
      if (!isRenewalDue) {
        isRenewalDue = true;
        setImmediate(renewUnasked);
      }
      return run(query);
    },
    renew,
  };
}
