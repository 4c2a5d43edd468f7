import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { BoundedMap } from '../../runtime/bounded-map.ts';

export type Rows = QueryResult<never>;

/** Runs a statement, prepared once per connection: a refresh runs the same one thousands of times per second. */
export type Statements = (query: Pick<CompiledQuery, 'sql' | 'parameters'>) => Rows;

const statementsKept = 500;

type Value = string | number | bigint | null | Uint8Array;

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

export function openStatements(database: DatabaseSync): Statements {
  const prepared = new BoundedMap<string, Prepared>(statementsKept);

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const fresh = { statement, hasRows: statement.columns().length > 0 };
    prepared.set(sql, fresh);
    return fresh;
  }

  return ({ sql, parameters }) => {
    const { statement, hasRows } = prepare(sql);
    const values = parameters as readonly Value[];
    if (hasRows) return { rows: statement.all(...values) as never[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
}
